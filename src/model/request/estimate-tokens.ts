import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelTool } from "../model.ts";

/** Characters of English or code per token. Common vocabularies have 3 to 4. */
const asciiPerToken = 3.5;

/** Tokens of a picture. Providers scale it down to about this size. */
const imageTokens = 1500;

/** Estimates the tokens of `text`, as a fraction. Scripts differ: a Chinese character takes one token or more. */
export function estimateTextTokens(text: string): number {
  if (Buffer.byteLength(text) === text.length) return text.length / asciiPerToken;
  let ascii = 0;
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) ascii += 1;
    else others += tokensOf(code);
  }
  return ascii / asciiPerToken + others;
}

/** Returns the tokens of one non-ASCII UTF-16 unit, rounded up from common vocabularies. */
function tokensOf(code: number): number {
  // Latin with accents, Greek, Cyrillic, Hebrew, Arabic.
  if (code < 0x700) return 0.5;
  // Scripts of India and South-East Asia, and symbols.
  if (code < 0x2e80) return 1;
  // Half of an emoji.
  if (code >= 0xd800 && code < 0xe000) return 1.5;
  return 1.2;
}

/** Estimates the tokens of `prompt`. */
export function estimateTokens(prompt: LanguageModelV4Prompt): number {
  let tokens = 0;
  for (const message of prompt) tokens += measureMessage(message).tokens;
  return Math.ceil(tokens);
}

/** Estimates the tokens of the tool descriptions, which every request carries besides its prompt. */
export function estimateToolTokens(tools: readonly ModelTool[]): number {
  let tokens = 0;
  for (const tool of tools) tokens += measureTool(tool);
  // The brackets and commas of the list.
  const separators = 2 + Math.max(0, tools.length - 1);
  return Math.ceil(tokens + separators / asciiPerToken);
}

/** Cached, because runs share their tools. */
const toolTokens = new WeakMap<ModelTool, number>();

function measureTool(tool: ModelTool): number {
  const known = toolTokens.get(tool);
  if (known !== undefined) return known;
  const tokens = estimateTextTokens(JSON.stringify(tool));
  toolTokens.set(tool, tokens);
  return tokens;
}

/** The size of a message. */
export interface MessageSize {
  characters: number;
  tokens: number;
}

/** Cached, because the messages of a conversation are immutable. */
const sizes = new WeakMap<LanguageModelV4Message, MessageSize>();

/** Measures a message. A picture counts as a fixed number of tokens, whatever the length of its base64. */
export function measureMessage(message: LanguageModelV4Message): MessageSize {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  let images = 0;
  const leaveOutImages = (key: string, value: unknown): unknown => {
    if (key !== "data" || typeof value !== "object") return value;
    images += 1;
    return "";
  };
  // A replacer costs several times as much as a search of the result.
  const plain = JSON.stringify(message);
  const text = plain.includes('"data":') ? JSON.stringify(message, leaveOutImages) : plain;
  const size = {
    characters: text.length,
    tokens: estimateTextTokens(text) + images * imageTokens,
  };
  sizes.set(message, size);
  return size;
}
