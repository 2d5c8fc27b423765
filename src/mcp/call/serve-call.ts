// Tool calls of MCP clients: starts runs and reports their progress and results.

import { randomUUID } from "node:crypto";
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
import { answerTask, isForTask } from "./answer-task.ts";
import { beginCall } from "./begin-call.ts";
import type { Call } from "../client/call.ts";
import { capabilitiesOf } from "../client/capabilities.ts";
import type { Client } from "../client/client.ts";
import { type OfferedTool, toolsByName, taskTools } from "./offered-tool.ts";
import { calledFromTrace, readTraceContext, type TraceContext } from "../../trace-context.ts";
import { reportProgress } from "./progress.ts";
import { pushAlong } from "../question/push-questions.ts";
import type { ClientQuestion, QuestionPool } from "../question/question-pool.ts";

/** The server and the client of a call. */
export interface CallContext {
  client: Client;
  pool: QuestionPool;
  /** Reports whether the server is ending, as opposed to the client. */
  isEnding: () => boolean;
}

/** The answer to a call: its result, or questions for the client. */
export type CallAnswer = CallToolResult | InputRequiredResult;

/** The maximum number of a client's calls that wait for its next request. Older calls are dropped; their runs continue. */
const maxParked = 1000;

/** Serves one tool request of a client: a new call, or the next round of an earlier one. */
export async function serveCall(
  context: CallContext,
  params: CallToolRequestParams,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const earlier = ctx.mcpReq.requestState<Call>();
  if (earlier !== undefined) takeAnswers(context, earlier, ctx);
  const call = earlier ?? (await begin(context, params, ctx));
  if (earlier === undefined && isForTask(params, ctx))
    return await answerTask(context.client, call, ctx);
  const stopProgress = await reportProgress(context.client, call, {
    token: ctx.mcpReq._meta?.progressToken,
    send: (notification) => ctx.mcpReq.notify(notification),
  });
  try {
    return await waitForCall(context, call, ctx);
  } finally {
    stopProgress();
  }
}

async function begin(
  context: CallContext,
  { name, arguments: input = {}, task }: CallToolRequestParams,
  ctx: ServerContext,
): Promise<Call> {
  const tool = await findTool(context.client, name);
  if (task !== undefined && capabilitiesOf(ctx) === undefined && !taskTools.has(name)) {
    const message = `${name} cannot be called as a task; it answers at once or limits its own time.`;
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
  }
  return calledFromTrace(callerOf(ctx), () => beginCall(context, tool, input));
}

/** Returns the client's position in a trace, from the request or else from the header of its HTTP request. */
function callerOf({ mcpReq, http }: ServerContext): TraceContext | undefined {
  const { traceparent, tracestate } = mcpReq._meta ?? {};
  const headers = http?.req?.headers;
  return (
    readTraceContext(traceparent, tracestate) ??
    readTraceContext(headers?.get("traceparent"), headers?.get("tracestate"))
  );
}

/** Returns the call for the state of an earlier round. States cannot be guessed. */
export function findParked({ parked }: Client, state: string): Call {
  const call = parked.get(state);
  if (call === undefined) throw new Error("no call waits for this");
  return call;
}

async function findTool(client: Client, name: string): Promise<OfferedTool> {
  const tools = toolsByName(await client.tools());
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const message = `Unknown tool: ${name}. Available: ${[...tools.keys()].join(", ")}.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function takeAnswers({ client, pool }: CallContext, call: Call, { mcpReq }: ServerContext): void {
  client.parked.delete(call.key);
  for (const [key, response] of Object.entries(mcpReq.inputResponses ?? {})) {
    if (pool.open((question) => question.key === key && call.needs(question)).length > 0) {
      pool.answer(key, response);
    }
  }
}

async function waitForCall(
  context: CallContext,
  call: Call,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const { signal } = ctx.mcpReq;
  const done = new AbortController();
  const isModern = capabilitiesOf(ctx) !== undefined;
  const left = Promise.withResolvers<never>();
  const leave = (): void => {
    if (isWithdrawn(context, signal.reason, isModern)) {
      call.cancel();
      awaitAtEnd(context.client, call);
    } else call.leave();
    left.reject(new Error("The request was cancelled."));
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    const races: Promise<CallAnswer>[] = [call.outcome, left.promise];
    if (isModern) races.push(park(context, call, done.signal));
    else pushAlong(context.pool, ctx, { isWanted: call.needs, signal: done.signal });
    return await Promise.race(races);
  } finally {
    done.abort();
    signal.removeEventListener("abort", leave);
  }
}

/** Keeps the client open until a cancelled call has ended its run. */
function awaitAtEnd({ cancelled }: Client, { outcome }: Call): void {
  const forget = (): void => void cancelled.delete(outcome);
  cancelled.add(outcome);
  outcome.then(forget, forget);
}

/**
 * Reports whether the client abandoned the run. A client of 2026-07-28 abandons a run by disconnecting. A client of an earlier
 * generation may come back for it, as may any client whose request timed out.
 */
function isWithdrawn({ isEnding }: CallContext, reason: unknown, isModern: boolean): boolean {
  if (reason instanceof SdkError) return isModern && !isEnding();
  return !/time[ds]?[ -]?out/i.test(String(reason));
}

/** Waits for the call's questions and returns them. The client answers them in its next request. */
async function park(
  { client, pool }: CallContext,
  call: Call,
  signal: AbortSignal,
): Promise<CallAnswer> {
  for (;;) {
    const changed = pool.changed();
    const questions = pool.open(call.needs);
    // Too late: the call has an outcome, or no request is waiting for it.
    if (signal.aborted) return await new Promise(() => undefined);
    if (questions.length > 0) {
      call.key = randomUUID();
      client.parked.set(call.key, call);
      const [oldest] = client.parked.keys();
      if (client.parked.size > maxParked && oldest !== undefined) client.parked.delete(oldest);
      return inputRequired({ inputRequests: toInputRequests(questions), requestState: call.key });
    }
    await changed;
  }
}

/** Returns questions in the form of 2026-07-28. */
export function toInputRequests(
  questions: readonly ClientQuestion[],
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
