import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../source/json.ts";
import type { ActiveCall } from "./active-call.ts";
import type { ElicitValue } from "./elicit-field.ts";
import { plainText } from "./plain-text.ts";

/** A call of a server's tool that is under way, and the run that made it. */
export interface ElicitCaller {
  runId: string;
  stepKey: string;
  /** The tool, by the name the model knows. */
  tool: string;
  /** The agents from the root run down to the one that calls. */
  chain: readonly string[];
}

/** A question of a server to the user, in the middle of a call. Plain JSON; `message` and `schema` are untrusted, but not endless. */
export interface ElicitRequest {
  /** The name of the server that asks. */
  extension: string;
  /** The calls under way at the server, one of which it is about: usually there is only one. */
  callers: readonly ElicitCaller[];
  message: string;
  /** JSON Schema of the answer: an object whose properties are text, numbers, yes/no, or a choice. */
  schema: JsonObject;
}

/** The user's answer: `decline` is a no, `cancel` is no answer. */
export type ElicitAnswer =
  | { action: "accept"; content: Readonly<Record<string, ElicitValue>> }
  | { action: "decline" }
  | { action: "cancel" };

/**
 * Puts a server's question to the user. Should reject when `signal` aborts: the call has ended, nobody needs the answer.
 * What it throws is a cancelled question to the server.
 */
export type OnElicit = (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitAnswer>;

/** More than this nobody reads. */
const messageCharacters = 4000;
const schemaCharacters = 16_000;

/**
 * Answers a server's question. Nobody is asked when there is nobody to ask, or when no call is under way that the
 * question could be about. Meanwhile the time of the calls does not run, and their runs give their slots back.
 */
export async function answerElicitation(
  params: ElicitRequestFormParams,
  place: {
    extension: string;
    calls: ReadonlySet<ActiveCall>;
    onElicit: OnElicit | undefined;
    signal: AbortSignal;
  },
): Promise<ElicitResult> {
  const { extension, onElicit } = place;
  const calls = [...place.calls];
  if (onElicit === undefined || calls.length === 0) return { action: "decline" };
  const signal = AbortSignal.any([place.signal, ...calls.map((call) => call.context.signal)]);
  const callers = calls.map(({ tool, context }) => ({
    runId: context.runId,
    stepKey: context.stepKey,
    tool,
    chain: context.caller.spec.chain,
  }));
  const message = plainText(params.message.slice(0, messageCharacters));
  const schema = params.requestedSchema as unknown as JsonObject;
  if (JSON.stringify(schema).length > schemaCharacters) return { action: "decline" };
  // Not before the time stands still.
  const question = Promise.resolve().then(() =>
    onElicit({ extension, callers, message, schema }, signal),
  );
  try {
    const answer = await calls.reduce<Promise<ElicitAnswer>>(
      (waiting, call) => call.deadline.pauseWhile(call.context.yieldWhile(waiting)),
      question,
    );
    return answer.action === "accept"
      ? { action: "accept", content: { ...answer.content } }
      : { action: answer.action };
  } catch {
    return { action: "cancel" };
  }
}
