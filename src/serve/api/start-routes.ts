import { z } from "zod";
import {
  closedObject,
  continuationShape,
  delegationShape,
  limitRaiseSchema,
  queueRequestSchema,
  type SpawnOptions,
} from "../../host.ts";
import { type RouteCall, defineRoute, type Route, type RouteAnswer } from "../http/route.ts";
import { ServerProblem } from "../http/problem.ts";
import { runSchema, startedSchema } from "../http/schemas.ts";
import { viewRun } from "./view-run.ts";

/** Starts a run, once for each idempotency key, and answers with its state. */
async function start(
  {
    place: { cadre, idempotency },
    request,
  }: Pick<RouteCall<unknown, unknown>, "place" | "request">,
  given: unknown,
  begin: () => Promise<{ id: string }>,
): Promise<RouteAnswer> {
  const key = request.headers.get("idempotency-key") ?? "";
  const startNow = async (): Promise<string> => (await begin()).id;
  if (key === "") return { status: 201, json: { run: await viewRun(cadre, await startNow()) } };
  const what = [new URL(request.url).pathname, given];
  const { runId, isRepeated } = await idempotency.startOnce(key, what, startNow);
  return { status: isRepeated ? 200 : 201, json: { run: await viewRun(cadre, runId) } };
}

const startRun = defineRoute({
  method: "POST",
  path: "/runs",
  operation: "startRun",
  summary: "Starts a run, which this server executes, or workers.",
  body: closedObject({ ...delegationShape, queue: queueRequestSchema.exactOptional() }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      // The schema is that of the library, whose types say what it accepts.
      return await call.place.cadre.spawn(call.body as unknown as SpawnOptions);
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
      const run = await call.place.cadre.find(call.param("run"));
      return await run.continue(call.body);
    }),
});

const retryRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/retry",
  operation: "retryRun",
  summary:
    "Retries a failed run: in its family while its parent is running, else as a new run. The amounts in the body are added to its limits.",
  body: limitRaiseSchema,
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      const raise = Object.keys(call.body).length === 0 ? undefined : call.body;
      return await call.place.cadre.retry(call.param("run"), raise);
    }),
});

const startTrigger = defineRoute({
  method: "POST",
  path: "/triggers/{trigger}",
  operation: "startTrigger",
  summary:
    "Starts a trigger of the configuration. The body is its data; an empty object means no data. The secret of the trigger is accepted instead of the token.",
  body: z.json(),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) => {
    const { cadre } = call.place;
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

const text = z.string().regex(/\S/, "a text is expected, got nothing");

const forkRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/fork",
  operation: "forkRun",
  summary: "Starts a run that begins with the steps of another up to and including `at`.",
  body: closedObject({ at: text.exactOptional(), task: text.exactOptional() }),
  answer: startedSchema,
  status: 201,
  starts: true,
  handle: async (call) =>
    await start(call, call.body, async () => {
      return await call.place.cadre.fork(call.param("run"), call.body);
    }),
});

const resumeRun = defineRoute({
  method: "POST",
  path: "/runs/{run}/resume",
  operation: "resumeRun",
  summary: "Continues the family of a run whose process is gone, in this server.",
  answer: z.object({ runs: z.array(runSchema) }),
  async handle({ place: { cadre }, param }) {
    const handles = await cadre.resume(param("run"));
    return { json: { runs: await Promise.all(handles.map(({ id }) => viewRun(cadre, id))) } };
  },
});

/** The routes that start runs. */
export const startRoutes: readonly Route[] = [
  startRun,
  continueRun,
  retryRun,
  forkRun,
  startTrigger,
  resumeRun,
];
