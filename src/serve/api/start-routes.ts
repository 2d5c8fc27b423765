import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import {
  closedObject,
  continuationShape,
  delegationShape,
  type GraphRequest,
  limitRaiseSchema,
  type PipelineRequest,
  queueRequestSchema,
  type SpawnOptions,
} from "../../host.ts";
import { type RouteCall, defineRoute, type Route, type RouteAnswer } from "../http/route.ts";
import { requireInside } from "../eval/require-inside.ts";
import { ServerProblem } from "../http/problem.ts";
import { runSchema, startedSchema } from "../http/schemas.ts";
import { startOnce } from "../http/start-once.ts";
import { viewRun } from "./view-run.ts";

/** Starts a run, once for each idempotency key. Responds with the state of the run. */
async function start(
  call: Pick<RouteCall<unknown, unknown>, "services" | "request">,
  given: unknown,
  begin: () => Promise<{ id: string }>,
): Promise<RouteAnswer> {
  const { id, status } = await startOnce(call, given, async () => (await begin()).id);
  return { status, json: { run: await viewRun(call.services.cadre, id) } };
}

const startRun = defineRoute({
  method: "POST",
  path: "/runs",
  operation: "startRun",
  summary: "Starts a run. This server or a worker executes it.",
  body: closedObject({ ...delegationShape, queue: queueRequestSchema.exactOptional() }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      // The library's own schema has checked the body; the library's types describe what it accepts.
      return await call.services.cadre.spawn(call.body as unknown as SpawnOptions);
    }),
});

const listGraphs = defineRoute({
  method: "GET",
  path: "/graphs",
  operation: "listGraphs",
  summary: "Lists the graph files of the project.",
  answer: z.object({ graphs: z.array(z.object({ file: z.string() })) }),
  async handle({ services: { recipes } }) {
    const { findFiles, isGraph } = await import("../../host.ts");
    const files = await findFiles(recipes.cwd, isGraph);
    return { json: { graphs: files.map((file) => ({ file })) } };
  },
});

const { task, parameters, label, model, fallbacks, timeoutSeconds, budget } = delegationShape;
/** What a request may set of a file of the project. */
const settings = omitUndefined({ label, model, fallbacks, timeoutSeconds, budget });
const file = z.string().min(1).describe("Relative to the folder of the project.");

const startPipeline = defineRoute({
  method: "POST",
  path: "/pipelines",
  operation: "startPipeline",
  summary: "Starts the pipeline of a prompt file of the project; returns its run.",
  body: closedObject({
    file,
    ...omitUndefined({ task, parameters }),
    ...settings,
    queue: queueRequestSchema.exactOptional(),
  }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      const { cadre, recipes } = call.services;
      const { file: named, ...request } = call.body;
      return await cadre.spawnPipeline(
        requireInside(recipes.cwd, named),
        request as PipelineRequest,
      );
    }),
});

const startGraph = defineRoute({
  method: "POST",
  path: "/graphs",
  operation: "startGraph",
  summary:
    "Starts the runs of a graph file of the project as one family; returns the run that coordinates them.",
  body: closedObject({
    file,
    ...settings,
    queue: queueRequestSchema.exactOptional(),
  }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      const { cadre, recipes } = call.services;
      const { file: named, ...request } = call.body;
      return await cadre.spawnGraph(requireInside(recipes.cwd, named), request as GraphRequest);
    }),
});

const continueRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/continue",
  operation: "continueRun",
  summary: "Continues the conversation of a run that has ended: starts its next turn.",
  body: closedObject({ ...continuationShape, queue: queueRequestSchema.exactOptional() }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      const run = await call.services.cadre.find(call.param("run"));
      return await run.continue(call.body);
    }),
});

const retryRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/retry",
  operation: "retryRun",
  summary:
    "Retries a failed run, in its family while its parent is running, else as a new run. The amounts in the body are added to its limits.",
  body: limitRaiseSchema,
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      const raise = Object.keys(call.body).length === 0 ? undefined : call.body;
      return await call.services.cadre.retry(call.param("run"), raise);
    }),
});

const startTrigger = defineRoute({
  method: "POST",
  path: "/triggers/{trigger}",
  operation: "startTrigger",
  summary:
    "Starts a configured trigger. The body is its data; an empty object means no data. The secret of the trigger is accepted instead of the token.",
  body: z.json(),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) => {
    const { cadre } = call.services;
    const name = call.param("trigger");
    if (!Object.hasOwn(cadre.configuration.config.triggers, name)) {
      const detail = `Expected the name of a trigger of the configuration; got ${JSON.stringify(name)}.`;
      throw new ServerProblem("not-found", detail);
    }
    const data = isEmpty(call.body) ? {} : { data: call.body };
    return await start(call, call.body, async () => await cadre.automation.start(name, data));
  },
});

function isEmpty(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.keys(body).length === 0;
}

const text = z.string().regex(/\S/, "expected a text, got none");

const forkRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/fork",
  operation: "forkRun",
  summary:
    "Starts a run with the steps of another run, up to and including `at`. `task` is then sent to it; without a task, the last step of a successful run is refused, except as `end`, which only copies the conversation.",
  body: closedObject({ at: text.exactOptional(), task: text.exactOptional() }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      return await call.services.cadre.fork(call.param("run"), call.body);
    }),
});

const resumeRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/resume",
  operation: "resumeRun",
  summary: "Continues the family of a run whose process is gone. This server executes it.",
  answer: z.object({ runs: z.array(runSchema) }),
  async handle({ services: { cadre }, param }) {
    const handles = await cadre.resume(param("run"));
    return { json: { runs: await Promise.all(handles.map(({ id }) => viewRun(cadre, id))) } };
  },
});

/** The routes that start runs. */
export const startRoutes: readonly Route[] = [
  startRun,
  listGraphs,
  startGraph,
  startPipeline,
  continueRun,
  retryRun,
  forkRun,
  startTrigger,
  resumeRun,
];
