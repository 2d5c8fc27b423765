import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

import { omitUndefined } from "../../omit-undefined.ts";

/** The fields of a provider's answer that make up a reply, streamed or not. */
export type ProviderResult = Pick<
  LanguageModelV4GenerateResult,
  "content" | "finishReason" | "usage" | "warnings"
> & {
  /** The answer's id and model, as the provider names them. */
  response?: { id?: string | undefined; modelId?: string | undefined };
  /** The ids of the tool calls with incomplete arguments. */
  cutCalls?: ReadonlySet<string>;
  /** Whether the answer was cut because {@link StreamListener.isFull} returned true. */
  isCut?: boolean;
};

/** Observes a stream. */
export interface StreamListener {
  /** Called with each part. */
  onPart?: (part: LanguageModelV4StreamPart) => void;
  /** Called after each part. `true` ends the stream as if the output limit were reached. */
  isFull?: () => boolean;
}

/** The error of a stream that ended without a finish. */
export class StreamCutError extends Error {
  override readonly name = "StreamCutError";
}

/**
 * Reads a model's stream to its end. Cancels the stream when the signal aborts.
 *
 * @throws the error that the stream reports, {@link StreamCutError} when it ends without a finish, or the signal's reason when
 * the signal aborts.
 */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  listener: StreamListener,
): Promise<ProviderResult> {
  const reader = stream.getReader();
  const leave = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  const collection: Collection = { content: [], blocks: new Map(), calls: new Map(), warnings: [] };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      addPart(collection, value);
      listener.onPart?.(value);
      if (listener.isFull?.() !== true || collection.finish !== undefined) continue;
      leave();
      return cutResultOf(collection);
    }
    return resultOf(collection);
  } catch (error) {
    leave();
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

type Block = Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;
type Call = Extract<LanguageModelV4Content, { type: "tool-call" }>;
type PartOf<Type extends LanguageModelV4StreamPart["type"]> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;

/** The received content. */
interface Collection {
  content: LanguageModelV4Content[];
  /** By type and id, because a text and a reasoning may have the same id. */
  blocks: Map<string, Block>;
  /** Calls with incomplete arguments, by id. */
  calls: Map<string, Call>;
  warnings: ProviderResult["warnings"];
  response?: PartOf<"response-metadata">;
  finish?: PartOf<"finish">;
}

/** Adds a part to the collection. Ignores pings, results of the provider's own tools, raw chunks and similar parts. */
function addPart(collection: Collection, part: LanguageModelV4StreamPart): void {
  if (part.type === "stream-start") collection.warnings = part.warnings;
  else if (part.type === "finish") collection.finish = part;
  else if (part.type === "response-metadata") collection.response = part;
  else if (part.type === "error") throw part.error;
  else if (part.type === "source") collection.content.push(part);
  else if (part.type === "file" || part.type === "tool-call") addWhole(collection, part);
  else if (part.type === "tool-input-start") beginCall(collection, part);
  else if (part.type === "tool-input-delta") extendCall(collection, part);
  else if (part.type.startsWith("text-")) addToBlock(collection, "text", part as BlockPart);
  else if (part.type.startsWith("reasoning-") && part.type !== "reasoning-file") {
    addToBlock(collection, "reasoning", part as BlockPart);
  }
}

type BlockPart = PartOf<`${Block["type"]}-${"start" | "delta" | "end"}`>;

function addToBlock(collection: Collection, type: Block["type"], part: BlockPart): void {
  const key = `${type} ${part.id}`;
  const known = part.type.endsWith("-start") ? undefined : collection.blocks.get(key);
  const block: Block = known ?? { type, text: "" };
  if (known === undefined) {
    collection.blocks.set(key, block);
    collection.content.push(block);
  }
  if ("delta" in part) block.text += part.delta;
  if (part.providerMetadata === undefined) return;
  block.providerMetadata = mergeMetadata(block.providerMetadata, part.providerMetadata);
}

function beginCall({ calls, content }: Collection, part: PartOf<"tool-input-start">): void {
  const call: Call = {
    type: "tool-call",
    toolCallId: part.id,
    toolName: part.toolName,
    input: "",
  };
  calls.set(part.id, call);
  content.push(call);
}

function extendCall({ calls }: Collection, part: PartOf<"tool-input-delta">): void {
  const call = calls.get(part.id);
  if (call !== undefined) call.input += part.delta;
}

/** Adds a file or a complete call, which replaces its own incomplete form. */
function addWhole({ calls, content }: Collection, part: Call | PartOf<"file">): void {
  const begun = part.type === "tool-call" ? calls.get(part.toolCallId) : undefined;
  if (begun === undefined) {
    content.push(part);
    return;
  }
  calls.delete(begun.toolCallId);
  content[content.indexOf(begun)] = part;
}

function resultOf({ content, calls, warnings, response, finish }: Collection): ProviderResult {
  if (finish === undefined) {
    throw new StreamCutError("The stream ended without a finish.");
  }
  const { finishReason, usage } = finish;
  const cutCalls = new Set(calls.keys());
  return { content, finishReason, usage, warnings, ...omitUndefined({ response }), cutCalls };
}

/** Returns the result of a cut stream. The usage is missing, because it arrives at the end of a stream. */
function cutResultOf({ content, calls, warnings }: Collection): ProviderResult {
  return {
    content,
    finishReason: { unified: "length", raw: undefined },
    usage: {
      inputTokens: {
        total: undefined,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    warnings,
    cutCalls: new Set(calls.keys()),
    isCut: true,
  };
}

/** Merges metadata. A signature arrives separately from the text it signs, possibly in several parts. */
function mergeMetadata(
  left: Block["providerMetadata"],
  right: NonNullable<Block["providerMetadata"]>,
): NonNullable<Block["providerMetadata"]> {
  const merged = { ...left };
  for (const [provider, values] of Object.entries(right)) {
    merged[provider] = { ...merged[provider], ...values };
  }
  return merged;
}
