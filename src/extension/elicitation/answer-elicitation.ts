import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../source/json.ts";
import { plainText } from "../plain-text.ts";
import type { ActiveCall } from "./active-call.ts";
import type { ElicitAnswer, OnElicit } from "./elicitation.ts";

/** The maximum number of characters shown of a question. */
const messageCharacters = 4000;
const schemaCharacters = 16_000;

/**
 * Answers a server's question. Declines it without `onElicit`, and without a call in progress. While the
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
  // Asked in the next microtask, after the time limits have been paused.
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
