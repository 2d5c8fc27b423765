// Language models: names, providers, requests and prices, and scripted models for tests.

import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Usage } from "../run/usage.ts";
import type { JsonObject, JsonValue } from "../source/json.ts";

/** A language model, with its price and its limits. */
export interface Model {
  /** `provider:model`. */
  id: string;
  /** The AI SDK's provider interface. */
  language: LanguageModelV4;
  /** `null` = unknown. */
  price: Price | null;
  /** The maximum number of input tokens of a request. A conversation is compacted before it exceeds them. */
  contextTokens: number;
  /** `contextTokens` is an assumption: neither configured nor known for this model. */
  isContextAssumed?: true;
}

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The prices for all tokens of a request with more than `above` input tokens. */
  longPrompt?: {
    above: number;
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
  };
}

/** A tool as sent to the model. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** One request to a model. */
export interface ModelRequest {
  prompt: LanguageModelV4Prompt;
  tools: readonly ModelTool[];
  /** Whether the provider searches the web for the answer. Models without web search ignore it. */
  webSearch?: boolean;
  temperature?: number;
  /** The probability mass that tokens are sampled from, 0 to 1. */
  topP?: number;
  /** The maximum number of tokens of the answer, at which the provider cuts it. Absent = the model's own limit. */
  maxOutputTokens?: number;
  effort?: "low" | "medium" | "high";
  /** `name` is one of `tools`. Default: `auto`. */
  toolChoice?: { type: "auto" | "none" | "required" } | { type: "tool"; name: string };
  /** Options for providers, by the provider's name. */
  providerOptions?: Readonly<Record<string, JsonObject>>;
}

/** One part of a reply. `metadata` holds data the provider needs back with the next request (signatures, ids). */
export type ReplyPart =
  | { type: "text"; text: string; metadata?: JsonObject }
  | { type: "reasoning"; text: string; metadata?: JsonObject }
  | { type: "tool-call"; id: string; tool: string; input: JsonValue; metadata?: JsonObject }
  /** A call whose arguments are not JSON. The text is kept, and the call is answered with an error. */
  | { type: "malformed-tool-call"; id: string; tool: string; text: string; metadata?: JsonObject };

/** A piece of a reply that is being streamed. Pieces of the same type and id belong together, in order. */
export type ReplyPiece =
  | { type: "text" | "reasoning"; id: string; text: string }
  /** Arguments of a tool call: JSON that is complete after the last piece. The first piece may be empty. */
  | { type: "tool-input"; id: string; tool: string; text: string };

/** A source of an answer. */
export interface WebSource {
  url: string;
  title?: string;
}

/** A model's answer. Plain JSON: it is recorded in the journal. */
export interface ModelReply {
  parts: readonly ReplyPart[];
  /**
   * `stop` and `tool-calls` are normal ends. `length` is an answer cut at the output limit; `content-filter` is a
   * refusal.
   */
  finish: "stop" | "tool-calls" | "length" | "content-filter";
  /** The answer's id and model, as the provider names them. */
  response?: { id?: string; model?: string };
  /** The pages that the provider found; absent without a search. */
  sources?: readonly WebSource[];
  usage: Usage;
  /** US dollars; `null` when the price is unknown. */
  cost: number | null;
  warnings: readonly string[];
}
