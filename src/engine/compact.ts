import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { estimateTokens, measureMessage } from "../model/request/estimate-tokens.ts";

/** A conversation cut to size, and what that took away. */
export interface Compaction {
  prompt: LanguageModelV4Prompt;
  removedCharacters: number;
}

/** Less than this stays: the note in its place would hardly be shorter, and a text that was cut is not cut again. */
const worthRemoving = 400;

/** The messages at the end that stay whole: the last calls and their results, which the model is working on. */
const keptMessages = 4;

/**
 * Makes `prompt` fit in `targetTokens`, oldest tool results first, then the middle of the longest texts. It depends on
 * nothing but its arguments, so a resumed run compacts as the first one did.
 */
export function compact(prompt: LanguageModelV4Prompt, targetTokens: number): Compaction {
  let tokens = estimateTokens(prompt);
  let removedCharacters = 0;
  const compacted = [...prompt];
  const reduce = (index: number, change: (message: LanguageModelV4Message) => typeof message) => {
    const message = compacted[index];
    if (message === undefined || tokens <= targetTokens) return;
    const changed = change(message);
    const [old, small] = [measureMessage(message), measureMessage(changed)];
    tokens -= old.tokens - small.tokens;
    removedCharacters += old.characters - small.characters;
    compacted[index] = changed;
  };
  const middle = Math.max(1, compacted.length - keptMessages);
  for (let index = 1; index < middle; index += 1) reduce(index, removeResults);
  for (let index = 1; index < compacted.length; index += 1) reduce(index, removeMiddles);
  return { prompt: compacted, removedCharacters };
}

function removeResults(message: LanguageModelV4Message): LanguageModelV4Message {
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

const keptOfText = 2000;

function removeMiddles(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "system") return message;
  const content = message.content.map((part) => {
    if (part.type === "text") return { ...part, text: cutMiddle(part.text) };
    if (part.type !== "tool-result" || part.output.type !== "text") return part;
    return { ...part, output: { ...part.output, value: cutMiddle(part.output.value) } };
  });
  return { ...message, content } as LanguageModelV4Message;
}

function cutMiddle(text: string): string {
  const removed = text.length - 2 * keptOfText;
  if (removed < worthRemoving) return text;
  return `${text.slice(0, keptOfText)}\n[... ${removed} characters removed to save space ...]\n${text.slice(-keptOfText)}`;
}
