import type {
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Usage } from "../run/usage.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";
import type { ProviderResult } from "./collect-stream.ts";
import type { ModelReply, ModelRequest, ReplyPart } from "./model.ts";
import { unescapeKeys } from "./transport/reserved-keys.ts";
import { uniqueId, wireName } from "./wire-name.ts";

/** What a provider's answer came to: a reply, or the reason why it is none; and what it took. */
export type ReadReply = { usage: Usage } & (
  | { reply: Omit<ModelReply, "cost" | "usage"> }
  | { problem: "empty" | "abnormal-finish"; text: string }
);

/** Turns a provider's answer to `request` into a reply. */
export function readReply(result: ProviderResult, request: ModelRequest): ReadReply {
  const { raw } = result.finishReason;
  const unified = finishOf(result);
  const usage = readUsage(result.usage);
  if (unified === "other" || unified === "error" || unified === "interrupted") {
    const reason = raw === undefined ? "" : ` (${raw})`;
    const text = `the model stopped with "${unified}"${reason}`;
    return { problem: "abnormal-finish", text, usage };
  }
  const parts = readParts(result, request);
  const hasCall = parts.some((part) => part.type.endsWith("tool-call"));
  const hasText = parts.some((part) => part.type === "text" && part.text.trim() !== "");
  if (!hasCall && !hasText && (unified === "stop" || unified === "tool-calls")) {
    return { problem: "empty", text: "the model answered with nothing", usage };
  }
  // Some servers say "stop" with tool calls, or "tool-calls" without one: what is there decides.
  const normal = hasCall ? "tool-calls" : "stop";
  const finish = unified === "stop" || unified === "tool-calls" ? normal : unified;
  return { reply: { parts, finish, warnings: readWarnings(result) }, usage };
}

/**
 * Some servers give a reason of their own with their tool calls, such as `FUNCTION_CALL`. They did say that they are done;
 * a reply that merely broke off has no reason at all.
 */
function finishOf({ finishReason, content, cutCalls }: ProviderResult): Unified {
  const { unified, raw = "" } = finishReason;
  const isWhole = /call|tool/i.test(raw) && !/malformed|unexpected|error/i.test(raw);
  const hasCalls = content.some((part) => part.type === "tool-call") && (cutCalls?.size ?? 0) === 0;
  return unified === "other" && isWhole && hasCalls ? "tool-calls" : unified;
}

type Unified = ProviderResult["finishReason"]["unified"];

function readParts(result: ProviderResult, request: ModelRequest): ReplyPart[] {
  const isCutOff = result.finishReason.unified === "length";
  const taken = new Set(knownIds(request.prompt, result.content));
  const toolOf = new Map(request.tools.map((tool) => [wireName(tool.name), tool.name]));
  const last = result.content.at(-1);
  return result.content.flatMap((content, index) => {
    if (content.type === "text" || content.type === "reasoning") return textPart(content);
    if (content.type !== "tool-call") return [];
    const call = {
      id: uniqueId(content.toolCallId, taken, index),
      tool: toolOf.get(content.toolName) ?? content.toolName,
      ...metadataOf(content),
    };
    // Anthropic hands over the arguments of a call that was cut as if they were complete.
    const isCut = (isCutOff && content === last) || result.cutCalls?.has(content.toolCallId);
    return [callPart(content.input, call, isCut === true)];
  });
}

function callPart(
  text: string,
  call: { id: string; tool: string; metadata?: JsonObject },
  isCut: boolean,
): ReplyPart {
  const input = parseArguments(text);
  return isCut || input === undefined
    ? { type: "malformed-tool-call", ...call, text }
    : { type: "tool-call", ...call, input };
}

function parseArguments(text: string): JsonValue | undefined {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(unescapeKeys(text)) as JsonValue;
  } catch {
    return undefined;
  }
}

function textPart(
  content: Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>,
): ReplyPart[] {
  const { type, text } = content;
  const metadata = metadataOf(content);
  // An empty block with metadata is a signature or an encrypted thought, which must go back.
  return text === "" && metadata.metadata === undefined ? [] : [{ type, text, ...metadata }];
}

function metadataOf(content: { providerMetadata?: unknown }): { metadata?: JsonObject } {
  // Through JSON, because a reply is journaled: what is not JSON in it must be gone before it is sent back, too.
  return content.providerMetadata === undefined
    ? {}
    : { metadata: JSON.parse(JSON.stringify(content.providerMetadata)) as JsonObject };
}

/** Servers that count their calls from zero in every reply would repeat an id; only a reply with calls pays for looking. */
function* knownIds(
  prompt: LanguageModelV4Prompt,
  content: readonly LanguageModelV4Content[],
): Iterable<string> {
  if (!content.some((part) => part.type === "tool-call")) return;
  for (const message of prompt) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") yield part.toolCallId;
  }
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const cacheRead = countOf(inputTokens.cacheRead);
  const cacheWrite = countOf(inputTokens.cacheWrite);
  const parts = countOf(inputTokens.noCache) + cacheRead + cacheWrite;
  const written = countOf(outputTokens.text) + countOf(outputTokens.reasoning);
  return {
    inputTokens: inputTokens.total === undefined ? parts : countOf(inputTokens.total),
    outputTokens: outputTokens.total === undefined ? written : countOf(outputTokens.total),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: countOf(outputTokens.reasoning),
  };
}

/** Counts come from the network: what is not a number of tokens is none. */
function countOf(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function readWarnings(result: ProviderResult): string[] {
  const dropped = result.content.filter((part) => part.type === "file").length;
  const lost = dropped === 0 ? [] : [`${dropped} file(s) that the model made were not kept.`];
  return [...result.warnings.map(warningText), ...lost];
}

function warningText(warning: SharedV4Warning): string {
  if (warning.type === "other") return warning.message;
  if (warning.type === "deprecated") return `${warning.setting} is deprecated: ${warning.message}`;
  const { type, feature, details } = warning;
  const support = type === "unsupported" ? "not supported" : "not fully supported";
  return `${feature} is ${support}${details === undefined ? "" : `: ${details}`}`;
}
