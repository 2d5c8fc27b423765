import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../source/json.ts";
import { plainText } from "../plain-text.ts";
import type { ActiveCall } from "./active-call.ts";
import type { ElicitAnswer, OnElicit } from "./elicitation.ts";

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
