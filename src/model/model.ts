import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Usage } from "../run/usage.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** A model that can be asked. */
export interface Model {
  /** `provider:model`. */
  id: string;
  /** The AI SDK's provider interface. */
  language: LanguageModelV4;
  /** `null` = unknown. */
  price: Price | null;
  /** Input tokens it can take; conversations are compacted before they grow past it. */
  contextTokens: number;
  /** Nobody said how many that are, and the name of the model is not known. */
  isContextAssumed?: true;
}

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** What every token of a request costs whose input is longer than `above` tokens, where that is dearer. */
  longPrompt?: {
    above: number;
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
  };
}

/** A tool as the model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** One question to a model. */
export interface ModelRequest {
  prompt: LanguageModelV4Prompt;
  tools: readonly ModelTool[];
  temperature?: number;
  /** The share of likely words that it chooses from, 0 to 1. */
  topP?: number;
  /** The longest answer; the provider cuts it there. Absent = the model's own limit. */
  maxOutputTokens?: number;
  effort?: "low" | "medium" | "high";
}

/** One part of a reply. `metadata` is what the provider wants back with the next request (signatures, ids). */
export type ReplyPart =
  | { type: "text"; text: string; metadata?: JsonObject }
  | { type: "reasoning"; text: string; metadata?: JsonObject }
  | { type: "tool-call"; id: string; tool: string; input: JsonValue; metadata?: JsonObject }
  /** Arguments that are not JSON: kept as text, answered with an error the model can act on. */
  | { type: "malformed-tool-call"; id: string; tool: string; text: string; metadata?: JsonObject };

/** A model's answer. Plain JSON: it is recorded in the journal. */
export interface ModelReply {
  parts: readonly ReplyPart[];
  /** `stop` and `tool-calls` are normal; `length` is an answer cut at the output limit; the others are not answers. */
  finish: "stop" | "tool-calls" | "length" | "content-filter";
  usage: Usage;
  /** US dollars; `null` when the price is unknown. */
  cost: number | null;
  warnings: readonly string[];
}
