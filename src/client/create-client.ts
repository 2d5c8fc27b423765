// A client of the HTTP API of `cadre serve`.

import type { PositionedEvent } from "../registry/registry.ts";
import type { RunEvent } from "../run/event.ts";
import type { RunStreamPart } from "../runtime/stream/stream-part.ts";
import { ApiError } from "./api-error.ts";
import type { CallOptions, ApiClient, ApiClientOptions } from "./client.ts";
import { type ApiRequest, createSender, type ReceivedEvent, type Sender } from "./send.ts";

/** The pause before a broken stream of events is continued, in milliseconds. */
const pauseMs = 500;

/** Creates a client for the server at `url`. It sends nothing before its first call. */
export function createClient(options: ApiClientOptions = {}): ApiClient {
  const sender = createSender(options);
  const { send, download } = sender;
  const of = (run: string, rest = ""): string => `/runs/${encodeURIComponent(run)}${rest}`;
  const post = async <Answer>(
    path: string,
    body: ApiRequest["body"],
    call?: CallOptions,
  ): Promise<Answer> => await send({ method: "POST", path, body, ...call });
  return {
    listProjects: async (call) => await send({ path: "/projects", isShared: true, ...call }),
    createSignInLink: async (call) =>
      await send({ method: "POST", path: "/sign-in-links", isShared: true, ...call }),
    listRuns: async (query, call) => await send({ path: "/runs", query: { ...query }, ...call }),
    listConversations: async (query, call) =>
      await send({ path: "/conversations", query, ...call }),
    searchRuns: async (query, call) =>
      await send({ path: "/search", query: { ...query }, ...call }),
    readRun: async (run, call) => await send({ path: of(run), ...call }),
    readTree: async (run, call) => await send({ path: of(run, "/tree"), ...call }),
    readFamily: async (run, call) => await send({ path: of(run, "/family"), ...call }),
    readTranscript: async (run, call) => await send({ path: of(run, "/transcript"), ...call }),
    readSteps: async (run, call) => await send({ path: of(run, "/steps"), ...call }),
    readBudget: async (run, call) => await send({ path: of(run, "/budget"), ...call }),
    listRunEvents: async (run, query, call) =>
      await send({ path: of(run, "/events"), query, ...call }),
    readRunEvents: (run, query, call) =>
      readRunEvents(sender, { path: of(run, "/events"), query, ...call }),
    readEvents: (query, call) => readEvents(sender, { path: "/events", query, ...call }),
    streamRun: (run, query, call) =>
      streamRun(sender, { path: of(run, "/stream"), query, ...call }),
    startRun: async (request, call) => await post("/runs", request, call),
    continueRun: async (run, request, call) => await post(of(run, "/continue"), request, call),
    retryRun: async (run, raise = {}, call) => await post(of(run, "/retry"), raise, call),
    forkRun: async (run, request = {}, call) => await post(of(run, "/fork"), request, call),
    startTrigger: async (trigger, data = {}, call) =>
      await post(`/triggers/${encodeURIComponent(trigger)}`, data, call),
    resumeRun: async (run, call) => await post(of(run, "/resume"), {}, call),
    cancelRun: async (run, request = {}, call) => await post(of(run, "/cancel"), request, call),
    sendMessage: async (run, request, call) => await post(of(run, "/messages"), request, call),
    raiseLimits: async (run, raise, call) => await post(of(run, "/raise"), raise, call),
    readResult: async (run, query, call) =>
      await send({ path: of(run, "/result"), query, ...call }),
    listQuestions: async (call) => await send({ path: "/questions", ...call }),
    answerQuestion: async (request, call) => await post("/answers", request, call),
    listAgents: async (call) => await send({ path: "/agents", ...call }),
    listRecipes: async (call) => await send({ path: "/recipes", ...call }),
    listArtifacts: async (run, call) => await send({ path: of(run, "/artifacts"), ...call }),
    readArtifact: async (run, artifact, call) =>
      await download({ path: of(run, `/artifacts/${encodeURIComponent(artifact)}`), ...call }),
    listTriggers: async (call) => await send({ path: "/triggers", ...call }),
    listSchedules: async (call) => await send({ path: "/schedules", ...call }),
    listWebhooks: async (call) => await send({ path: "/webhooks", ...call }),
    listCache: async (call) => await send({ path: "/cache", ...call }),
    clearCache: async (call) => await send({ method: "DELETE", path: "/cache", ...call }),
    readUsage: async (query, call) => await send({ path: "/usage", query, ...call }),
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

/** Iterates over events, and reconnects after a broken connection from the last event. A refused request ends it. */
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

/** The server says in the stream why it cannot continue. */
function refuseProblem({ type, data }: ReceivedEvent): void {
  if (type !== "problem") return;
  const { detail } = JSON.parse(data) as { detail: string };
  throw new ApiError(detail, { code: "internal", status: 500 });
}
