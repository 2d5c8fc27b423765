import type {
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Usage } from "../../run/usage.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../source/json.ts";
import type { ProviderResult } from "./collect-stream.ts";
import type { ModelReply, ModelRequest, ReplyPart, WebSource } from "../model.ts";
import { unescapeKeys } from "../transport/reserved-keys.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { toolNamed, uniqueId } from "../wire-name.ts";

/** The usage of a provider's answer, with its reply or the problem that makes it unusable. */
export type ReadReply = { usage: Usage } & (
  | { reply: Omit<ModelReply, "cost" | "usage"> }
  | { problem: "empty" | "abnormal-finish"; text: string }
);

/** Reads a provider's answer to `request`. */
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
    return { problem: "empty", text: "the reply has neither text nor tool calls", usage };
  }
  // Some servers report "stop" with tool calls, or "tool-calls" without a call. The content decides.
  const normal = hasCall ? "tool-calls" : "stop";
  const finish = unified === "stop" || unified === "tool-calls" ? normal : unified;
  const sources = readSources(result.content);
  const warnings = readWarnings(result);
  return {
    reply: { parts, finish, ...readResponse(result), warnings, ...omitUndefined({ sources }) },
    usage,
  };
}

function readResponse({ response }: ProviderResult): Pick<ModelReply, "response"> {
  const { id, modelId: model } = response ?? {};
  const named = omitUndefined({ id, model });
  return Object.keys(named).length === 0 ? {} : { response: named };
}

/**
 * Some servers finish tool calls with a non-standard reason, such as `FUNCTION_CALL`. Their reply is complete; a reply that broke
 * off has no reason.
 */
function finishOf({ finishReason, content, cutCalls }: ProviderResult): Unified {
  const { unified, raw = "" } = finishReason;
  const isWhole = /call|tool/i.test(raw) && !/malformed|unexpected|error/i.test(raw);
  const hasCalls = content.some(isOwnCall) && (cutCalls?.size ?? 0) === 0;
  return unified === "other" && isWhole && hasCalls ? "tool-calls" : unified;
}

/** Reports whether a part is a call for Cadre and not one that the provider executed. */
function isOwnCall(
  part: LanguageModelV4Content,
): part is Extract<LanguageModelV4Content, { type: "tool-call" }> {
  return part.type === "tool-call" && part.providerExecuted !== true;
}

/** Returns the pages that the provider found, without duplicates. */
function readSources(content: readonly LanguageModelV4Content[]): WebSource[] | undefined {
  if (!content.some(({ type }) => type === "source")) return undefined;
  const sources = new Map<string, WebSource>();
  for (const part of content) {
    if (part.type !== "source" || part.sourceType !== "url" || sources.has(part.url)) continue;
    sources.set(part.url, { url: part.url, ...omitUndefined({ title: part.title }) });
  }
  return sources.size === 0 ? undefined : [...sources.values()];
}

type Unified = ProviderResult["finishReason"]["unified"];

function readParts(result: ProviderResult, request: ModelRequest): ReplyPart[] {
  const isCutOff = result.finishReason.unified === "length";
  const taken = knownIds(request.prompt, result.content);
  const last = result.content.at(-1);
  return result.content.flatMap((content, index) => {
    if (content.type === "text" || content.type === "reasoning") return textPart(content);
    if (!isOwnCall(content)) return [];
    const call = {
      id: uniqueId(content.toolCallId, taken, index),
      tool: toolNamed(request.tools, content.toolName),
      ...metadataOf(content),
    };
    // Anthropic's client delivers truncated call arguments as if they were complete.
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
  return text.trim() === "" ? {} : parseJson(unescapeKeys(text));
}

function textPart(
  content: Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>,
): ReplyPart[] {
  const { type, text } = content;
  const metadata = metadataOf(content);
  // An empty block with metadata holds a signature or encrypted reasoning, which the next request must contain.
  return text === "" && metadata.metadata === undefined ? [] : [{ type, text, ...metadata }];
}

function metadataOf(content: { providerMetadata?: unknown }): { metadata?: JsonObject } {
  // Converted through JSON, so that the current request equals one built from the journal, which holds only JSON.
  return content.providerMetadata === undefined
    ? {}
    : { metadata: JSON.parse(JSON.stringify(content.providerMetadata)) as JsonObject };
}

/**
 * Returns the ids of earlier calls, because some servers number the calls of every reply from zero. Skips the search for replies
 * without calls.
 */
function knownIds(
  prompt: LanguageModelV4Prompt,
  content: readonly LanguageModelV4Content[],
): Set<string> {
  const known = new Set<string>();
  if (!content.some((part) => part.type === "tool-call")) return known;
  for (const message of prompt) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") known.add(part.toolCallId);
  }
  return known;
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

/** Returns a count from the network; 0 for an invalid count. */
function countOf(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function readWarnings(result: ProviderResult): string[] {
  const dropped = result.content.filter((part) => part.type === "file").length;
  const lost =
    dropped === 0
      ? []
      : [
          `${dropped} file(s) in the model's reply were dropped: Cadre does not keep files of models.`,
        ];
  return [...result.warnings.map(warningText), ...lost];
}

function warningText(warning: SharedV4Warning): string {
  if (warning.type === "other") return warning.message;
  if (warning.type === "deprecated") return `${warning.setting} is deprecated: ${warning.message}`;
  const { type, feature, details } = warning;
  const support = type === "unsupported" ? "not supported" : "not fully supported";
  return `${feature} is ${support}${details === undefined ? "" : `: ${details}`}`;
}
