import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelTool } from "../model.ts";

/** How many characters of English and code a token has; they lie between 3 and 4. */
const asciiPerToken = 3.5;

/** What a picture takes: providers scale it down to about this. */
const imageTokens = 1500;

/** About how many tokens `text` has, which need not be a whole number. Scripts differ: a Chinese character is a token or more. */
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

/** The tokens of one UTF-16 unit outside of ASCII, on the safe side of what common vocabularies need. */
function tokensOf(code: number): number {
  // Latin with accents, Greek, Cyrillic, Hebrew, Arabic.
  if (code < 0x700) return 0.5;
  // Scripts of India and South-East Asia, and symbols.
  if (code < 0x2e80) return 1;
  // Half of an emoji.
  if (code >= 0xd800 && code < 0xe000) return 1.5;
  return 1.2;
}

/** About how many tokens `prompt` has. */
export function estimateTokens(prompt: LanguageModelV4Prompt): number {
  let tokens = 0;
  for (const message of prompt) tokens += measureMessage(message).tokens;
  return Math.ceil(tokens);
}

/** About how many tokens the descriptions of `tools` have, which every request carries besides its prompt. */
export function estimateToolTokens(tools: readonly ModelTool[]): number {
  return Math.ceil(estimateTextTokens(JSON.stringify(tools)));
}

/** How large a message is. */
export interface MessageSize {
  characters: number;
  tokens: number;
}

/** Messages are not changed once they are in a conversation, so each is measured once. */
const sizes = new WeakMap<LanguageModelV4Message, MessageSize>();

/** Measures a message; a picture counts by itself and not as long as its base64 is. */
export function measureMessage(message: LanguageModelV4Message): MessageSize {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  let images = 0;
  const text = JSON.stringify(message, (key, value: unknown) => {
    if (key !== "data" || typeof value !== "object") return value;
    images += 1;
    return "";
  });
  const size = {
    characters: text.length,
    tokens: estimateTextTokens(text) + images * imageTokens,
  };
  sizes.set(message, size);
  return size;
}
