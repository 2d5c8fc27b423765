import { z } from "zod";
import { closedObject } from "../../host.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { projectSchema } from "../http/schemas.ts";

const listProjects = defineRoute({
  method: "GET",
  path: "/projects",
  operation: "listProjects",
  summary: "Lists the projects of the server. Routes without a project refer to the first.",
  answer: z.object({ projects: z.array(projectSchema) }),
  isOfServer: true,
  handle: ({ services: { projects } }) => Promise.resolve({ json: { projects } }),
});

const createSignInLink = defineRoute({
  method: "POST",
  path: "/sign-in-links",
  operation: "createSignInLink",
  summary: "Creates a link that signs in one browser. The link is valid for ten minutes.",
  body: closedObject({}),
  answer: z.object({ link: z.string() }),
  status: 201,
  isOfServer: true,
  handle({ services: { createCode }, request }) {
    // The address by which the client reaches the server.
    const { origin } = new URL(request.url);
    const link = `${origin}/sign-in?code=${createCode()}`;
    return Promise.resolve({ status: 201, json: { link } });
  },
});

/** The routes about the server. */
export const serverRoutes: readonly Route[] = [listProjects, createSignInLink];
