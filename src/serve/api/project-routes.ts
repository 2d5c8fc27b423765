import { z } from "zod";
import { closedObject, describeDiscovery } from "../../host.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { findingSchema } from "../http/schemas.ts";
import { addUpUsage, usageDimensions } from "./usage.ts";

const listAgents = defineRoute({
  method: "GET",
  path: "/agents",
  operation: "listAgents",
  summary:
    "Lists every agent with the findings in their files; `isUsable` says whether it can run.",
  answer: z.object({
    agents: z.array(z.looseObject({ name: z.string(), isUsable: z.boolean() })),
    diagnostics: z.array(findingSchema),
  }),
  handle: async ({ services: { cadre } }) => ({ json: describeDiscovery(await cadre.agents()) }),
});

const listRecipes = defineRoute({
  method: "GET",
  path: "/recipes",
  operation: "listRecipes",
  summary: "Lists the recipes of the project and the user, with their findings.",
  answer: z.object({
    recipes: z.array(z.looseObject({ way: z.string(), scope: z.string() })),
    diagnostics: z.array(findingSchema),
  }),
  async handle({ services: { recipes } }) {
    const { discoverRecipes } = await import("../../host.ts");
    return { json: await discoverRecipes(recipes) };
  },
});

const listCache = defineRoute({
  method: "GET",
  path: "/cache",
  operation: "listCache",
  summary: "Lists the cached results, newest first.",
  answer: z.object({ entries: z.array(z.looseObject({})) }),
  handle: async ({ services: { cadre } }) => ({ json: { entries: await cadre.cache.list() } }),
});

const clearCache = defineRoute({
  method: "DELETE",
  path: "/cache",
  operation: "clearCache",
  summary: "Deletes the cached results.",
  answer: z.object({ deleted: z.int() }),
  handle: async ({ services: { cadre } }) => ({ json: { deleted: await cadre.cache.clear() } }),
});

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const readUsage = defineRoute({
  method: "GET",
  path: "/usage",
  operation: "readUsage",
  summary:
    "Sums the usage of all runs by the time of their creation (UTC), per day or hour, and per agent or model.",
  query: closedObject({
    by: z.enum(["day", "hour"]).default("day"),
    group: z.enum(usageDimensions).optional(),
    since: instant.optional().describe("Default: 30 days ago."),
    until: instant.optional().describe("Default: now."),
  }),
  isShared: true,
  answer: z.object({
    periods: z.array(
      z.object({
        start: z.string(),
        group: z.string().nullable(),
        runs: z.int(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        cost: z.number().nullable(),
      }),
    ),
  }),
  handle: async ({ services: { cadre }, query }) => ({
    json: { periods: await addUpUsage(cadre, query) },
  }),
});

/** The routes about the project. */
export const projectRoutes: readonly Route[] = [
  listAgents,
  listRecipes,
  listCache,
  clearCache,
  readUsage,
];
