import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelTool } from "../../model/model.ts";
import { estimateTokens, estimateToolTokens } from "../../model/request/estimate-tokens.ts";
import type { Usage } from "../../run/usage.ts";

/** Estimates the input of the requests of one conversation. */
export interface InputEstimate {
  /** About how many input tokens a request with `prompt` has. */
  estimate(prompt: LanguageModelV4Prompt): number;
  /** Takes note of what the provider counted for the request with `prompt`, as far as it did. */
  learn(prompt: LanguageModelV4Prompt, usage: Usage | undefined): void;
}

/**
 * Estimates from the provider's own count of the request before, and only what came since then from characters. The first
 * request of a conversation is estimated as a whole.
 */
export function createInputEstimate(tools: readonly ModelTool[]): InputEstimate {
  const toolTokens = estimateToolTokens(tools);
  let last: { estimated: number; counted: number } | undefined;
  return {
    estimate(prompt) {
      const estimated = estimateTokens(prompt) + toolTokens;
      if (last === undefined) return estimated;
      const added = estimated - last.estimated;
      // A conversation that was compacted is smaller by as much as its estimate.
      if (added < 0) return Math.ceil((last.counted * estimated) / last.estimated);
      return last.counted + added;
    },
    learn(prompt, usage) {
      if (usage === undefined || usage.inputTokens === 0) return;
      last = { estimated: estimateTokens(prompt) + toolTokens, counted: usage.inputTokens };
    },
  };
}
