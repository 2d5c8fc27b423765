import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { estimateTextTokens } from "./estimate-tokens.ts";

/** Estimates the received tokens of an answer. */
export interface ReceivedTokens {
  add(part: LanguageModelV4StreamPart): void;
  count(): number;
}

/** Creates a counter of the text, reasoning and call arguments in a stream. */
export function countReceived(): ReceivedTokens {
  return new PartCounter();
}

/** A class instead of closures: its instances share methods, and thousands of requests may wait. */
class PartCounter implements ReceivedTokens {
  #tokens = 0;
  /** The calls that arrive in pieces, which only streamed replies have. */
  #begun: Set<string> | undefined;

  add(part: LanguageModelV4StreamPart): void {
    if (part.type === "tool-input-start") (this.#begun ??= new Set()).add(part.id);
    if ("delta" in part) this.#tokens += estimateTextTokens(part.delta);
    // A call that arrived in pieces arrives again complete.
    if (part.type === "tool-call" && this.#begun?.has(part.toolCallId) !== true) {
      this.#tokens += estimateTextTokens(part.input);
    }
  }

  count(): number {
    return Math.ceil(this.#tokens);
  }
}
