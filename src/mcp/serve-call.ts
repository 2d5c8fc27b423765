import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { beginCall } from "./begin-call.ts";
import type { Call } from "./call.ts";
import { canPoll, capabilitiesOf } from "./capabilities.ts";
import type { Client } from "./client.ts";
import { type OfferedTool, offeredTools, taskTools } from "./offered-tool.ts";
import { reportProgress } from "./progress.ts";
import { pushQuestions } from "./push-questions.ts";
import type { Question, QuestionPool } from "./question-pool.ts";
import { sendRequest } from "./send-request.ts";
import { toExtensionTask, toTask } from "./task.ts";

/** What a call is served with. */
export interface CallPlace {
  client: Client;
  pool: QuestionPool;
}

/** What a call may come to besides its result: questions to answer first, or a task to look after. */
export type CallAnswer = CallToolResult | InputRequiredResult;

/** The most calls of a client that wait for it to come back; older ones are given up, and their runs go on. */
const mostParked = 1000;

/** Serves one request of a client to call a tool: a new call, or the next round of one. */
export async function serveCall(
  place: CallPlace,
  params: CallToolRequestParams,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const earlier = ctx.mcpReq.requestState<Call>();
  const call =
    earlier ?? beginCall(place, await findTool(place.client, params.name), params.arguments ?? {});
  if (earlier !== undefined) takeAnswers(place, earlier, ctx);
  const isTask = taskTools.has(params.name) && earlier === undefined;
  if (isTask && wantsTask(params, ctx)) return await answerTask(place, call, ctx);
  const stopProgress = await reportProgress(place.client, call, ctx);
  try {
    return await waitForCall(place, call, ctx);
  } finally {
    stopProgress();
  }
}

/** The call that a state of an earlier round means: nobody can guess one. */
export function findParked({ parked }: Client, state: string): Call {
  const call = parked.get(state);
  if (call === undefined) throw new Error("there is no call that waits for this");
  return call;
}

async function findTool(client: Client, name: string): Promise<OfferedTool> {
  const tools = offeredTools(await client.tools());
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const message = `Unknown tool: ${name}. Available: ${[...tools.keys()].join(", ")}.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function takeAnswers({ client, pool }: CallPlace, call: Call, { mcpReq }: ServerContext): void {
  client.parked.delete(call.key);
  for (const [key, response] of Object.entries(mcpReq.inputResponses ?? {})) {
    if (pool.open((question) => question.key === key && call.needs(question)).length > 0) {
      pool.answer(key, response);
    }
  }
}

async function waitForCall(place: CallPlace, call: Call, ctx: ServerContext): Promise<CallAnswer> {
  const { signal } = ctx.mcpReq;
  const done = new AbortController();
  const isModern = capabilitiesOf(ctx) !== undefined;
  const left = Promise.withResolvers<never>();
  const leave = (): void => {
    // Who has gone may come back for the run; who says so does not want it any more.
    if (!(signal.reason instanceof SdkError)) call.cancel();
    left.reject(new Error("The request was cancelled."));
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const races: Promise<CallAnswer>[] = [call.outcome, left.promise];
    if (isModern) races.push(park(place, call, done.signal));
    else
      void pushQuestions(place.pool, {
        isWanted: call.needs,
        send: sendRequest(ctx),
        signal: done.signal,
      });
    return await Promise.race(races);
  } finally {
    done.abort();
    signal.removeEventListener("abort", leave);
  }
}

/** Waits for questions that the call needs answers to, and lets the client bring them with another request. */
async function park(
  { client, pool }: CallPlace,
  call: Call,
  signal: AbortSignal,
): Promise<CallAnswer> {
  for (;;) {
    const changed = pool.changed();
    const questions = pool.open(call.needs);
    // Too late: the call has its outcome, or nobody waits for it any more.
    if (signal.aborted) return await new Promise(() => undefined);
    if (questions.length > 0) {
      client.parked.set(call.key, call);
      const [oldest] = client.parked.keys();
      if (client.parked.size > mostParked && oldest !== undefined) client.parked.delete(oldest);
      return inputRequired({ inputRequests: toInputRequests(questions), requestState: call.key });
    }
    await changed;
  }
}

/** Questions as a client of 2026-07-28 takes them. */
export function toInputRequests(
  questions: readonly Question[],
): NonNullable<InputRequiredResult["inputRequests"]> {
  return Object.fromEntries(
    questions.map(({ key, request }) => [
      key,
      request.method === "elicitation/create"
        ? inputRequired.elicit(request.params)
        : inputRequired.createMessage(request.params),
    ]),
  );
}

function wantsTask(params: CallToolRequestParams, ctx: ServerContext): boolean {
  const capabilities = capabilitiesOf(ctx);
  return capabilities === undefined ? params.task !== undefined : canPoll(capabilities);
}

/** The run as a task, as soon as there is one. */
async function answerTask(
  { client }: CallPlace,
  call: Call,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const first = await Promise.race([call.begun, call.outcome]);
  if (typeof first !== "string") return first;
  const run = await (await (await client.cadre()).find(first)).state();
  // The protocol wants it beside what makes it a task.
  const content: CallToolResult["content"] = [];
  return capabilitiesOf(ctx) === undefined
    ? { content, task: toTask(run) }
    : { content, resultType: "task", ...toExtensionTask(run) };
}
