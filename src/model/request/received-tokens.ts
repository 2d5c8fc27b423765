import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { estimateTextTokens } from "./estimate-tokens.ts";

/** Estimates the received tokens of an answer. */
export interface ReceivedTokens {
  add(part: LanguageModelV4StreamPart): void;
  count(): number;
}

/** Creates a counter of the text, reasoning and call arguments in a stream. */
export function countReceived(): ReceivedTokens {
  let tokens = 0;
  const begun = new Set<string>();
  return {
    add(part) {
      if (part.type === "tool-input-start") begun.add(part.id);
      if ("delta" in part) tokens += estimateTextTokens(part.delta);
      // A call that arrived in pieces arrives once more as a whole.
      if (part.type === "tool-call" && !begun.has(part.toolCallId)) {
        tokens += estimateTextTokens(part.input);
      }
    },
    count: () => Math.ceil(tokens),
  };
}
