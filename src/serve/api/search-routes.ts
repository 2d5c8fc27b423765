import { z } from "zod";
import { closedObject } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { defineRoute, queryNumber, type Route } from "../http/route.ts";
import { runSchema } from "../http/schemas.ts";
import { viewRuns } from "./view-run.ts";

const searchRuns = defineRoute({
  method: "GET",
  path: "/search",
  operation: "searchRuns",
  summary:
    "Searches tasks and transcripts for the words of `text`. Returns the matching runs, the run with the latest matching text first. When `isComplete` is false, the index is being built, and a later search finds more.",
  query: closedObject({
    text: z.string().min(1).max(1000),
    limit: queryNumber(1, 100).default(20),
    cursor: z.string().min(1).optional().describe("`next` of the previous page."),
  }),
  answer: z.object({
    hits: z.array(
      z.object({
        run: runSchema,
        kind: z.enum(["task", "message", "answer", "call", "result", "failure"]),
        seq: z.int(),
        excerpt: z.array(z.object({ text: z.string(), isMatch: z.boolean() })),
      }),
    ),
    next: z.string().nullable(),
    isComplete: z.boolean(),
  }),
  async handle({ services: { cadre }, query: { text, limit, cursor } }) {
    const { hits, ...rest } = await cadre.search({ text, limit, ...omitUndefined({ cursor }) });
    const runs = await viewRuns(
      cadre,
      hits.map(({ run }) => run),
    );
    return {
      json: { hits: hits.map((hit, at) => Object.assign(hit, { run: runs[at] })), ...rest },
    };
  },
});

/** The search of runs. */
export const searchRoutes: readonly Route[] = [searchRuns];
