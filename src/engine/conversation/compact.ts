// Long conversations: compaction, and requests that exceed the context.

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { estimateTokens, measureMessage } from "../../model/request/estimate-tokens.ts";
import type { CompactSize } from "../../run/event.ts";
import { isRecord } from "../../source/json.ts";
import { createChangeCount } from "./change-count.ts";
import { cutResults, minCutLength } from "./cut-results.ts";
import { resultIn } from "./inbox-message.ts";

/** A compacted conversation, and a description of the changes. */
export interface Compaction {
  prompt: LanguageModelV4Prompt;
  removedCharacters: number;
  /** A description of the change, for display. */
  summary: string;
}

/** Shorter content stays: the note that replaces it would be as long. */
const worthRemoving = 400;

/** The last messages are shortened last, because the model is working with them. */
const recentMessages = 4;

/** Reports whether a message is never shortened: instructions, the task, and messages from people. */
export function isKept(message: LanguageModelV4Message): boolean {
  return message.role === "system" || (message.role === "user" && resultIn(message) === undefined);
}

/**
 * Shortens `prompt` in stages: removes old results of tools and background runs, then shortens long texts and arguments of old
 * replies, then cuts the middle out of the longest recent results, by no more than needed. The instructions, the task and
 * messages from people stay whole, so the conversation may remain longer than `size`. The result depends only on the arguments,
 * so a resumed run compacts identically.
 */
export function compactConversation(prompt: LanguageModelV4Prompt, size: CompactSize): Compaction {
  const compacted = [...prompt];
  let tokens = estimateTokens(prompt);
  const changes = createChangeCount();
  const change = (index: number, shorten: (message: LanguageModelV4Message) => typeof message) => {
    const message = compacted[index];
    if (message === undefined || isKept(message)) return;
    const shortened = shorten(message);
    const difference = measureMessage(shortened).tokens - measureMessage(message).tokens;
    if (difference !== 0) changes.note(message, shortened);
    tokens += difference;
    compacted[index] = shortened;
  };
  const recent = Math.max(0, prompt.length - recentMessages);
  for (let at = 0; at < recent && tokens > size.target; at += 1) change(at, removeResults);
  for (let at = 0; at < recent && tokens > size.limit; at += 1) change(at, shortenReply);
  if (tokens > size.limit) {
    const longest = findLongest(compacted, recent, size.limit);
    for (let at = recent; at < compacted.length; at += 1) {
      change(at, (message) => cutResults(message, longest));
    }
  }
  const removedCharacters = charactersOf(prompt) - charactersOf(compacted);
  return { prompt: compacted, removedCharacters, summary: changes.describe() };
}

/** The search for the longest length that fits stops within this many characters. */
const precision = 100;

/**
 * Returns the maximum length of the results from `from` on at which the conversation has at most `limit` tokens; at least the
 * shortest cut.
 */
function findLongest(prompt: LanguageModelV4Prompt, from: number, limit: number): number {
  const recent = prompt.slice(from);
  const room = limit - estimateTokens(prompt.slice(0, from));
  const fits = (longest: number): boolean =>
    estimateTokens(recent.map((message) => cutResults(message, longest))) <= room;
  let low = minCutLength;
  let high = Math.max(...recent.map(charactersIn));
  while (high - low > precision) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function charactersIn(message: LanguageModelV4Message): number {
  return measureMessage(message).characters;
}

function charactersOf(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((sum, message) => sum + charactersIn(message), 0);
}

function removeResults(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "user") return removeRunResult(message);
  if (message.role !== "tool") return message;
  const content = message.content.map((part) =>
    part.type === "tool-result" ? removeResult(part) : part,
  );
  return { ...message, content };
}

function removeResult(part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart {
  const size = JSON.stringify(part.output).length;
  if (size < worthRemoving) return part;
  const value = `[This earlier result of ${part.toolName} (${size} characters) was removed to save space. Call the tool again if you need it.]`;
  return { ...part, output: { type: "text", value } };
}

/** Keeps the first line of a background run's result, which says how it ended. */
function removeRunResult(message: LanguageModelV4Message & { role: "user" }): typeof message {
  const call = JSON.stringify({ runId: resultIn(message) });
  const content = message.content.map((part) => {
    if (part.type !== "text") return part;
    const [head = ""] = part.text.split("\n", 1);
    const removed = part.text.length - head.length;
    if (removed < worthRemoving) return part;
    const note = `[The result itself (${removed} characters) was removed to save space. Get it with context_get ${call} if you need it.]`;
    return { ...part, text: `${head}\n${note}` };
  });
  return { ...message, content };
}

/** Shortens text and file arguments of the model's own replies. Reasoning stays whole, because it is signed. */
function shortenReply(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== "assistant") return message;
  const content = message.content.map((part) => {
    if (part.type === "text") return { ...part, text: shortenText(part.text) };
    return part.type === "tool-call" ? { ...part, input: shortenValue(part.input) } : part;
  });
  return { ...message, content };
}

function shortenValue(value: unknown): unknown {
  if (typeof value === "string") return shortenText(value);
  if (Array.isArray(value)) return value.map(shortenValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortenValue(one)]));
}

function shortenText(text: string): string {
  const kept = worthRemoving / 2;
  const removed = text.length - kept;
  if (removed < worthRemoving) return text;
  return `${text.slice(0, kept).toWellFormed()}\n[… ${removed} characters removed to save space …]`;
}
