// Questions of MCP servers to the user.

import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../source/json.ts";
import type { ActiveCall } from "./active-call.ts";
import type { ElicitValue } from "./elicit-field.ts";
import { plainText } from "../plain-text.ts";

/** A call of a server's tool in progress, with the run that made it. */
export interface ElicitCaller {
  runId: string;
  stepKey: string;
  /** The tool, by the name given to the model. */
  tool: string;
  /** The agents from the root run down to the calling run. */
  chain: readonly string[];
}

/**
 * A question of a server, of a tool of the program or of an agent to the user during a call. Plain JSON. `message` and `schema` of a server
 * or an agent are untrusted and of limited length.
 */
export interface ElicitRequest {
  /** The name of the server, or of the tool. */
  extension: string;
  /** Whose question it is: an MCP server's, a tool's of the program, or the agent's own. */
  from: "server" | "tool" | "agent";
  /** The server's calls in progress, usually one, or the call of the tool. The question belongs to one of them. */
  callers: readonly ElicitCaller[];
  message: string;
  /** The JSON Schema of the answer: an object whose properties are text, numbers, yes/no, or a choice. */
  schema: JsonObject;
}

/** The user's answer. `decline` refuses the question; `cancel` leaves it unanswered. */
export type ElicitAnswer =
  | { action: "accept"; content: Readonly<Record<string, ElicitValue>> }
  | { action: "decline" }
  | { action: "cancel" };

/**
 * Asks the user a server's question. It should reject when `signal` aborts, because the call has ended. Any rejection
 * answers the server with `cancel`.
 */
export type OnElicit = (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>;

/** The shown length of a question; the rest is cut. */
const messageCharacters = 4000;
const schemaCharacters = 16_000;

/**
 * Answers a server's question. Without `onElicit`, or without a call in progress, the question is declined. While the
 * user is asked, the time limits of the calls are paused and their runs yield their slots.
 */
export async function answerElicitation(
  params: ElicitRequestFormParams,
  options: {
    extension: string;
    calls: ReadonlySet<ActiveCall>;
    onElicit: OnElicit | undefined;
    signal: AbortSignal;
  },
): Promise<ElicitResult> {
  const { extension, onElicit } = options;
  const calls = [...options.calls];
  if (onElicit === undefined || calls.length === 0) return { action: "decline" };
  const signal = AbortSignal.any([options.signal, ...calls.map((call) => call.context.signal)]);
  const callers = calls.map(({ tool, context }) => ({
    runId: context.runId,
    stepKey: context.stepKey,
    tool,
    chain: context.caller.spec.chain,
  }));
  const message = plainText(params.message.slice(0, messageCharacters));
  const schema = params.requestedSchema as unknown as JsonObject;
  if (JSON.stringify(schema).length > schemaCharacters) return { action: "decline" };
  // Asked on the next microtask, when the time limits are paused.
  const question = Promise.resolve().then(() =>
    onElicit({ extension, from: "server", callers, message, schema }, signal),
  );
  try {
    const answer = await calls.reduce<Promise<ElicitAnswer>>(
      (waiting, call) => call.deadline.pauseWhile(call.context.awaitUser(waiting)),
      question,
    );
    return answer.action === "accept"
      ? { action: "accept", content: { ...answer.content } }
      : { action: answer.action };
  } catch {
    return { action: "cancel" };
  }
}
