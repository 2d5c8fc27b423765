import { z } from "zod";
import { type Cadre, closedObject, contextSizeOf, readSteps, runStatuses } from "../../host.ts";
import { defineRoute, queryFlag, queryNumber, type Route } from "../http/route.ts";
import { conversationSchema, partSchema, runSchema, stepSchema } from "../http/schemas.ts";
import { readRootId, viewRun, viewRuns } from "./view-run.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const status = z.enum(runStatuses);

/** Accepts one value as well as several, as in `status=failed&status=cancelled`. */
const statuses = z.union([status, z.array(status)]).transform((value) => [value].flat());

const listRuns = defineRoute({
  method: "GET",
  path: "/runs",
  operation: "listRuns",
  summary: "Lists runs of all processes, newest first. `next` is the cursor of the next page.",
  query: closedObject({
    status: statuses.optional(),
    agent: z.string().min(1).optional(),
    all: queryFlag.optional().describe("Include runs that other runs started."),
    limit: queryNumber(1, 500).default(50),
    cursor: z.string().min(1).optional().describe("`next` of the previous page."),
  }),
  isShared: true,
  answer: z.object({ runs: z.array(runSchema), next: z.string().nullable() }),
  async handle({ services: { cadre }, query: { status: wanted, agent, all, limit, cursor } }) {
    const runs = await cadre.runs({
      rootsOnly: all !== true,
      // One run more than the page holds shows whether there is a next page.
      limit: limit + 1,
      ...omitUndefined({ status: wanted, agent }),
      ...(cursor !== undefined && { before: (await cadre.find(cursor)).id }),
    });
    const page = runs.slice(0, limit);
    const next = runs.length > limit ? (page.at(-1)?.id ?? null) : null;
    return { json: { runs: await viewRuns(cadre, page), next } };
  },
});

const listConversations = defineRoute({
  method: "GET",
  path: "/conversations",
  operation: "listConversations",
  summary:
    "Lists conversations, the one with the latest turn first. GET /search searches their texts.",
  query: closedObject({
    archived: queryFlag.optional().describe("List archived conversations instead of the others."),
    limit: queryNumber(1, 500).default(50),
  }),
  isShared: true,
  answer: z.object({ conversations: z.array(conversationSchema) }),
  handle: async ({ services: { cadre }, query: { archived = false, limit } }) => ({
    json: { conversations: await cadre.conversations({ archived, limit }) },
  }),
});

const readRun = defineRoute({
  method: "GET",
  path: "/runs/{run}",
  operation: "readRun",
  summary: "Returns a run, by its id, the part of it after the dash, or `last`.",
  isShared: true,
  answer: z.object({ run: runSchema }),
  handle: async ({ services: { cadre }, param }) => ({
    json: { run: await viewRun(cadre, param("run")) },
  }),
});

const readTree = defineRoute({
  method: "GET",
  path: "/runs/{run}/tree",
  operation: "readTree",
  summary: "Lists a run and its descendants, in order of creation.",
  isShared: true,
  answer: z.object({ runs: z.array(runSchema) }),
  handle: async ({ services: { cadre }, param }) => ({
    json: { runs: await viewRuns(cadre, await cadre.tree(param("run"))) },
  }),
});

const readFamily = defineRoute({
  method: "GET",
  path: "/runs/{run}/family",
  operation: "readFamily",
  summary: "Lists the whole family that a run belongs to, in order of creation.",
  isShared: true,
  answer: z.object({ runs: z.array(runSchema) }),
  async handle({ services: { cadre }, param }) {
    const rootId = await readRootId(cadre, param("run"));
    return { json: { runs: await viewRuns(cadre, await cadre.tree(rootId)) } };
  },
});

const readTranscript = defineRoute({
  method: "GET",
  path: "/runs/{run}/transcript",
  operation: "readTranscript",
  summary: "Returns the conversation of a run so far, as the parts of its stream.",
  answer: z.object({ runId: z.string(), parts: z.array(partSchema) }),
  async handle({ services: { cadre }, param }) {
    const run = await cadre.find(param("run"));
    return { json: { runId: run.id, parts: await run.transcript() } };
  },
});

const readStepsOfRun = defineRoute({
  method: "GET",
  path: "/runs/{run}/steps",
  operation: "readSteps",
  summary:
    "Returns what a run did and when: requests, calls, questions, pauses before retries and pipeline events, without any texts.",
  answer: z.object({ steps: z.array(stepSchema), lastSeq: z.int() }),
  handle: async ({ services: { cadre }, param }) => ({
    json: readSteps(await (await cadre.find(param("run"))).journal()),
  }),
});

const readBudget = defineRoute({
  method: "GET",
  path: "/runs/{run}/budget",
  operation: "readBudget",
  summary:
    "Returns the budget of a run, how much of it the run and its descendants used, and the context window of its model.",
  answer: z.object({
    budget: z.looseObject({}).nullable(),
    used: z.object({
      tokens: z.number(),
      usd: z.number().nullable(),
      toolCalls: z.number(),
      wallSeconds: z.number(),
    }),
    context: z.object({ tokens: z.int(), isAssumed: z.boolean() }).nullable(),
  }),
  async handle({ services: { cadre }, param }) {
    const run = await viewRun(cadre, param("run"));
    const { usage, cost, toolCalls, budget = null, startedAt, endedAt } = run;
    const wallMs = startedAt === null ? 0 : (endedAt ?? Date.now()) - startedAt;
    const used = {
      tokens: usage.inputTokens + usage.outputTokens,
      usd: cost,
      toolCalls,
      wallSeconds: wallMs / 1000,
    };
    return { json: { budget, used, context: findContext(cadre, run.model) } };
  },
});

/** Returns the context window of a model, as configured or known; `null` for a run without a model. */
function findContext(
  { configuration }: Pick<Cadre, "configuration">,
  model: string | null,
): { tokens: number; isAssumed: boolean } | null {
  if (model === null) return null;
  const size = contextSizeOf(model, configuration.config.models);
  return { tokens: size.contextTokens, isAssumed: size.isContextAssumed === true };
}

/** The routes that read runs. */
export const listRoutes: readonly Route[] = [
  listRuns,
  listConversations,
  readRun,
  readTree,
  readFamily,
  readTranscript,
  readStepsOfRun,
  readBudget,
];
