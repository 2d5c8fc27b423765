import { setTimeout as wait } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import type { Usage } from "../run/usage.ts";
import type { JsonObject } from "../source/json.ts";
import { partsOf, streamOf } from "./result-stream.ts";
import { readConversation, type ScriptConversation } from "./script-conversation.ts";

/** What goes wrong with a scripted reply. */
export interface ScriptFault {
  /**
   * `status`: an HTTP error; `drop`: the connection breaks after the first words; `malformed`: the reply ends without a
   * finish; `hang`: nothing comes until the request is aborted.
   */
  kind: "status" | "drop" | "malformed" | "hang";
  /** Default 500. */
  status?: number;
  /** What an HTTP error asks to wait. */
  retryAfterSeconds?: number;
  /** How often it goes wrong before the reply comes; absent = always. */
  times?: number;
}

/** One reply of a script. */
export interface ScriptReply {
  text?: string;
  reasoning?: string;
  calls?: readonly { tool: string; input: JsonObject }[];
  /** How long the model thinks, in milliseconds. */
  delayMs?: number;
  fault?: ScriptFault;
  /** Absent counts are estimated from the text, four characters a token. */
  usage?: Partial<Usage>;
  /** Default: `tool-calls` with calls, else `stop`. */
  finish?: "stop" | "tool-calls" | "length" | "content-filter";
}

/** Chooses the reply to a conversation; throws, or rejects, when it has none. */
export type Script = (
  conversation: ScriptConversation,
) => ScriptReply | null | Promise<ScriptReply | null>;

/**
 * Makes a model that answers as `script` says: for tests, demos and whoever has no key.
 *
 * It is a model like any other: it streams, it can fail, its tool calls have ids that are the same each time the same
 * conversation is held. A script that returns `null` has no reply: the call rejects with CadreError `model-error`.
 */
export function createScriptedModel(
  script: Script,
  options: { id?: string } = {},
): LanguageModelV4 {
  const asked = new Map<string, number>();
  const answer = async (call: LanguageModelV4CallOptions): Promise<Answer> => {
    const conversation = readConversation(call);
    const reply = await script(conversation);
    if (reply === null) throw noReply(conversation);
    const fault = dueFault(reply, conversation, asked);
    await pause(reply.delayMs ?? 0, call.abortSignal);
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

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (delayMs > 0) await wait(delayMs, undefined, signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
}

function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) leave();
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/** What a provider's client throws, as far as anybody looks at it. */
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
