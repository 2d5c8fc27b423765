import { z } from "zod";
import { defineRoute, type Route } from "../http/route.ts";

const listArtifacts = defineRoute({
  method: "GET",
  path: "/runs/{run}/artifacts",
  operation: "listArtifacts",
  summary:
    "Lists the artifacts of a run: images of its task and its results, and outputs that were too long for the model.",
  answer: z.object({
    artifacts: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(["output", "image", "task-image"]),
        step: z.string().nullable(),
        mediaType: z.string(),
        bytes: z.int(),
      }),
    ),
  }),
  async handle({ services: { cadre }, param }) {
    const run = await cadre.find(param("run"));
    return { json: { artifacts: await run.artifacts() } };
  },
});

const readArtifact = defineRoute({
  method: "GET",
  path: "/runs/{run}/artifacts/{artifact}",
  operation: "readArtifact",
  summary: "Returns the content of an artifact.",
  answer: z.string(),
  isFile: true,
  async handle({ services: { cadre }, param }) {
    const run = await cadre.find(param("run"));
    const { mediaType, bytes, content } = await run.artifact(param("artifact"));
    const isText = mediaType === "text/plain";
    return new Response(content, {
      headers: {
        "content-type": isText ? "text/plain; charset=utf-8" : mediaType,
        "content-length": String(bytes),
      },
    });
  },
});

/** The routes of a run's images and long outputs. */
export const artifactRoutes: readonly Route[] = [listArtifacts, readArtifact];
