// A client of the HTTP API of `cadre serve`.

import type { PositionedEvent } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunStreamPart } from "../runtime/stream/stream-part.ts";
import { ApiError } from "./api-error.ts";
import type { CallOptions, ApiClient, ApiClientOptions } from "./client.ts";
import { type ApiRequest, createSender, type ReceivedEvent, type Sender } from "./send.ts";

/** The pause before a broken stream of events continues, in milliseconds. */
const pauseMs = 500;

/** Creates a client for the server at `url`. It sends nothing before its first call. */
export function createClient(options: ApiClientOptions = {}): ApiClient {
  const sender = createSender(options);
  const { send } = sender;
  return {
    ...createRunCalls(sender),
    ...createCommands(sender),
    ...createEvalCalls(sender),
    listProjects: async (call) => await send({ path: "/projects", isShared: true, ...call }),
    createSignInLink: async (call) =>
      await send({ method: "POST", path: "/sign-in-links", isShared: true, ...call }),
    listRuns: async (query, call) => await send({ path: "/runs", query: { ...query }, ...call }),
    listConversations: async (query, call) =>
      await send({ path: "/conversations", query, ...call }),
    searchRuns: async (query, call) =>
      await send({ path: "/search", query: { ...query }, ...call }),
    readEvents: (query, call) => readEvents(sender, { path: "/events", query, ...call }),
    listQuestions: async (call) => await send({ path: "/questions", ...call }),
    listAgents: async (call) => await send({ path: "/agents", ...call }),
    listRecipes: async (call) => await send({ path: "/recipes", ...call }),
    listGraphs: async (call) => await send({ path: "/graphs", ...call }),
    listTriggers: async (call) => await send({ path: "/triggers", ...call }),
    listSchedules: async (call) => await send({ path: "/schedules", ...call }),
    listWebhooks: async (call) => await send({ path: "/webhooks", ...call }),
    listCache: async (call) => await send({ path: "/cache", ...call }),
    clearCache: async (call) => await send({ method: "DELETE", path: "/cache", ...call }),
    readUsage: async (query, call) => await send({ path: "/usage", query, ...call }),
  };
}

/** Returns the path of a run, or of a resource below it. */
function pathOf(run: string, rest = ""): string {
  return `/runs/${encodeURIComponent(run)}${rest}`;
}

type RunCall =
  | "readRun"
  | "readTree"
  | "readFamily"
  | "readTranscript"
  | "readSteps"
  | "readBudget"
  | "listRunEvents"
  | "readRunEvents"
  | "streamRun"
  | "readResult"
  | "listArtifacts"
  | "readArtifact";

/** Creates the calls that read one run. */
function createRunCalls(sender: Sender): Pick<ApiClient, RunCall> {
  const { send } = sender;
  return {
    readRun: async (run, call) => await send({ path: pathOf(run), ...call }),
    readTree: async (run, call) => await send({ path: pathOf(run, "/tree"), ...call }),
    readFamily: async (run, call) => await send({ path: pathOf(run, "/family"), ...call }),
    readTranscript: async (run, call) => await send({ path: pathOf(run, "/transcript"), ...call }),
    readSteps: async (run, call) => await send({ path: pathOf(run, "/steps"), ...call }),
    readBudget: async (run, call) => await send({ path: pathOf(run, "/budget"), ...call }),
    listRunEvents: async (run, query, call) =>
      await send({ path: pathOf(run, "/events"), query, ...call }),
    readRunEvents: (run, query, call) =>
      readRunEvents(sender, { path: pathOf(run, "/events"), query, ...call }),
    streamRun: (run, query, call) =>
      streamRun(sender, { path: pathOf(run, "/stream"), query, ...call }),
    readResult: async (run, query, call) =>
      await send({ path: pathOf(run, "/result"), query, ...call }),
    listArtifacts: async (run, call) => await send({ path: pathOf(run, "/artifacts"), ...call }),
    readArtifact: async (run, artifact, call) =>
      await sender.download({
        path: pathOf(run, `/artifacts/${encodeURIComponent(artifact)}`),
        ...call,
      }),
  };
}

type EvalCall =
  | "listEvals"
  | "readEval"
  | "listEvalFiles"
  | "startEval"
  | "resumeEval"
  | "cancelEval";

/** Creates the calls about evals. */
function createEvalCalls({ send }: Sender): Pick<ApiClient, EvalCall> {
  const pathTo = (id: string, rest = ""): string => `/evals/${encodeURIComponent(id)}${rest}`;
  return {
    listEvals: async (query, call) => await send({ path: "/evals", query, ...call }),
    readEval: async (id, call) => await send({ path: pathTo(id), ...call }),
    listEvalFiles: async (call) => await send({ path: "/eval-files", ...call }),
    startEval: async (body, call) => await send({ method: "POST", path: "/evals", body, ...call }),
    resumeEval: async (id, call) =>
      await send({ method: "POST", path: pathTo(id, "/resume"), body: {}, ...call }),
    cancelEval: async (id, call) =>
      await send({ method: "POST", path: pathTo(id, "/cancel"), body: {}, ...call }),
  };
}

type Command =
  | "startRun"
  | "startGraph"
  | "startPipeline"
  | "continueRun"
  | "retryRun"
  | "forkRun"
  | "startTrigger"
  | "resumeRun"
  | "cancelRun"
  | "sendMessage"
  | "raiseLimits"
  | "answerQuestion";

/** Creates the calls that start runs and control them. */
function createCommands({ send }: Sender): Pick<ApiClient, Command> {
  const post = async <Answer>(
    path: string,
    body: ApiRequest["body"],
    call?: CallOptions,
  ): Promise<Answer> => await send({ method: "POST", path, body, ...call });
  return {
    startRun: async (request, call) => await post("/runs", request, call),
    startGraph: async (request, call) => await post("/graphs", request, call),
    startPipeline: async (request, call) => await post("/pipelines", request, call),
    continueRun: async (run, request, call) => await post(pathOf(run, "/continue"), request, call),
    retryRun: async (run, raise = {}, call) => await post(pathOf(run, "/retry"), raise, call),
    forkRun: async (run, request = {}, call) => await post(pathOf(run, "/fork"), request, call),
    startTrigger: async (trigger, data = {}, call) =>
      await post(`/triggers/${encodeURIComponent(trigger)}`, data, call),
    resumeRun: async (run, call) => await post(pathOf(run, "/resume"), {}, call),
    cancelRun: async (run, request = {}, call) => await post(pathOf(run, "/cancel"), request, call),
    sendMessage: async (run, request, call) => await post(pathOf(run, "/messages"), request, call),
    raiseLimits: async (run, raise, call) => await post(pathOf(run, "/raise"), raise, call),
    answerQuestion: async (request, call) => await post("/answers", request, call),
  };
}

async function* readRunEvents(sender: Sender, request: ApiRequest): AsyncGenerator<RunEvent, void> {
  for await (const { data } of listenOn(sender, request)) {
    const event = JSON.parse(data) as RunEvent;
    yield event;
    if (event.type === "run-finished") return;
  }
}

async function* readEvents(
  sender: Sender,
  request: ApiRequest,
): AsyncGenerator<PositionedEvent, void> {
  for await (const { id = "", data } of listenOn(sender, request)) {
    yield { position: id, event: JSON.parse(data) as RunEvent };
  }
}

async function* streamRun(
  { listen }: Sender,
  request: ApiRequest,
): AsyncGenerator<RunStreamPart, void> {
  let first: string | undefined;
  for await (const event of listen(request)) {
    refuseProblem(event);
    const part = JSON.parse(event.data) as RunStreamPart;
    first ??= part.runId;
    yield part;
    if (part.type === "run-finished" && part.runId === first) return;
  }
  throw new ApiError("The server ended the stream before the run had ended. Call it again.", {
    code: "unreachable",
    status: 0,
  });
}

/** Iterates over events. After a broken connection, continues after the last event. A refused request ends it. */
async function* listenOn(
  { listen }: Sender,
  request: ApiRequest,
): AsyncGenerator<ReceivedEvent, void> {
  let last: string | undefined;
  for (;;) {
    try {
      const headers = last === undefined ? {} : { "last-event-id": last };
      for await (const event of listen({ ...request, headers })) {
        refuseProblem(event);
        last = event.id ?? last;
        yield event;
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "unreachable") throw error;
      // Without a first event there is no position to continue from.
      if (last === undefined) throw error;
    }
    request.signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** @throws ApiError for the event with which the server says why it cannot continue. */
function refuseProblem({ type, data }: ReceivedEvent): void {
  if (type !== "problem") return;
  const { detail } = JSON.parse(data) as { detail: string };
  throw new ApiError(detail, { code: "internal", status: 500 });
}
