import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { estimateTextTokens } from "./estimate-tokens.ts";

/** About how many tokens of an answer have arrived. */
export interface ReceivedTokens {
  add(part: LanguageModelV4StreamPart): void;
  count(): number;
}

/** Counts the words, the thoughts and the arguments of calls that a stream brings. */
export function countReceived(): ReceivedTokens {
  let tokens = 0;
  const begun = new Set<string>();
  return {
    add(part) {
      if (part.type === "tool-input-start") begun.add(part.id);
      if ("delta" in part) tokens += estimateTextTokens(part.delta);
      // A call that came in pieces comes once more as a whole.
      if (part.type === "tool-call" && !begun.has(part.toolCallId)) {
        tokens += estimateTextTokens(part.input);
      }
    },
    count: () => Math.ceil(tokens),
  };
}
