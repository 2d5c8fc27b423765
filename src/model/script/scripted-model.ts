// Scripted models, which answer without a provider.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type Clock, systemClock } from "../../clock.ts";
import { CadreError } from "../../errors.ts";
import { sleep } from "../request/sleep.ts";
import type { Usage } from "../../run/usage.ts";
import type { JsonValue } from "../../source/json.ts";
import { partsOf, streamOf } from "./result-stream.ts";
import { readConversation, type ScriptConversation } from "./script-conversation.ts";

/** A failure of a scripted reply. */
export interface ScriptFault {
  /**
   * `status`: an HTTP error; `drop`: the connection breaks after the first words; `malformed`: the reply ends without a
   * finish; `hang`: nothing arrives until the request is aborted.
   */
  kind: "status" | "drop" | "malformed" | "hang";
  /** The status of an HTTP error. Default 500. */
  status?: number;
  /** The `Retry-After` of an HTTP error. */
  retryAfterSeconds?: number;
  /** The number of failures before the reply; absent = it always fails. */
  times?: number;
}

/** One reply of a script. */
export interface ScriptReply {
  text?: string;
  reasoning?: string;
  /** An `undefined` argument counts as absent. TypeScript adds such arguments to calls of different tools in one list. */
  calls?: readonly { tool: string; input: { readonly [name: string]: JsonValue | undefined } }[];
  /** The delay of the reply, in milliseconds. */
  delayMs?: number;
  fault?: ScriptFault;
  /** Default: estimated from the text at four characters per token. */
  usage?: Partial<Usage>;
  /** Default: `tool-calls` with calls, else `stop`. */
  finish?: "stop" | "tool-calls" | "length" | "content-filter";
}

/** Returns the reply to a conversation; `null`, an exception or a rejection fails the call. */
export type Script = (
  conversation: ScriptConversation,
) => ScriptReply | null | Promise<ScriptReply | null>;

/** Options of {@link createScriptedModel}. */
export interface ScriptedOptions {
  /** Default `script`. */
  id?: string;
  /** Measures `delayMs`. Default: the machine's clock. */
  clock?: Clock;
  /** Called with the error for a conversation without a reply. */
  onUnmatched?: (error: CadreError) => void;
}

/**
 * Creates a model that replies according to `script`, for tests, demos and use without a key.
 * The model streams and fails like other models. The same conversation always gets the same tool call ids. When the script
 * returns `null`, the call rejects with CadreError `model-error`.
 */
export function createScriptedModel(
  script: Script,
  options: ScriptedOptions = {},
): LanguageModelV4 {
  const { clock = systemClock } = options;
  const asked = new Map<string, number>();
  const find = async (conversation: ScriptConversation): Promise<ScriptReply> => {
    try {
      const reply = await script(conversation);
      if (reply === null) throw noReply(conversation);
      return reply;
    } catch (error) {
      if (isUnmatched(error)) options.onUnmatched?.(error);
      throw error;
    }
  };
  const answer = async (call: LanguageModelV4CallOptions): Promise<Answer> => {
    const conversation = readConversation(call);
    const reply = await find(conversation);
    const fault = dueFault(reply, conversation, asked);
    await pause(reply.delayMs ?? 0, clock, call.abortSignal);
    if (fault?.kind === "hang") await forever(call.abortSignal);
    if (fault?.kind === "status") throw httpError(fault);
    return { result: resultOf(reply, conversation, fault), fault };
  };
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: options.id ?? "script",
    supportedUrls: {},
    async doGenerate(call) {
      const { result, fault } = await answer(call);
      if (fault?.kind === "drop") throw connectionReset();
      return result;
    },
    async doStream(call) {
      const { result, fault } = await answer(call);
      const parts = partsOf(result);
      return { stream: streamOf(fault?.kind === "drop" ? broken(parts) : parts) };
    },
  };
}

function isUnmatched(error: unknown): error is CadreError {
  return error instanceof CadreError && error.details["kind"] === "no-reply";
}

interface Answer {
  result: LanguageModelV4GenerateResult;
  fault: ScriptFault | undefined;
}

function dueFault(
  reply: ScriptReply,
  conversation: ScriptConversation,
  asked: Map<string, number>,
): ScriptFault | undefined {
  const { fault } = reply;
  if (fault?.times === undefined) return fault;
  const key = `${conversation.key} ${conversation.turn} ${conversation.last}`;
  const count = asked.get(key) ?? 0;
  asked.set(key, count + 1);
  return count < fault.times ? fault : undefined;
}

function resultOf(
  reply: ScriptReply,
  conversation: ScriptConversation,
  fault: ScriptFault | undefined,
): LanguageModelV4GenerateResult {
  const { text = "", reasoning = "", calls = [] } = reply;
  const content: LanguageModelV4Content[] = [
    ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ tool, input }, index) => ({
      type: "tool-call" as const,
      toolCallId: `call_${conversation.key}_${conversation.turn}_${index}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
  ];
  const normal = reply.finish ?? (calls.length > 0 ? "tool-calls" : "stop");
  const unified = fault?.kind === "malformed" ? "interrupted" : normal;
  const finishReason = { unified, raw: undefined } as const;
  return { content, finishReason, usage: usageOf(reply, conversation, content), warnings: [] };
}

function usageOf(
  { usage = {} }: ScriptReply,
  { system, text }: ScriptConversation,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4GenerateResult["usage"] {
  const estimate = (written: string): number => Math.ceil(written.length / 4);
  const cacheRead = usage.cacheReadTokens ?? 0;
  const cacheWrite = usage.cacheWriteTokens ?? 0;
  const input = usage.inputTokens ?? estimate(system + text);
  const output = usage.outputTokens ?? estimate(JSON.stringify(content));
  const reasoning = usage.reasoningTokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  };
}

function* broken(parts: Iterable<LanguageModelV4StreamPart>): Generator<LanguageModelV4StreamPart> {
  for (const part of parts) {
    if (part.type === "finish") break;
    yield part;
    if (part.type === "text-delta" || part.type === "tool-call") break;
  }
  throw connectionReset();
}

async function pause(
  delayMs: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, { clock, signal });
  signal?.throwIfAborted();
}

function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) leave();
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/** Creates an error with those fields of a provider client's error that Cadre reads. */
function httpError({ status = 500, retryAfterSeconds }: ScriptFault): Error {
  const responseHeaders =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const error = new Error(`The script answers with HTTP ${status}`);
  return Object.assign(error, { statusCode: status, responseHeaders });
}

function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}

function noReply({ turn, last }: ScriptConversation): CadreError {
  const end = JSON.stringify(last.slice(-500));
  return new CadreError(
    "model-error",
    `The script has no reply to turn ${turn} of this conversation, which ends with ${end}. Add one.`,
    { details: { kind: "no-reply", turn } },
  );
}
