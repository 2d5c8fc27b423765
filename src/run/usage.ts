/** The tokens of model requests, as providers count them. */
export interface Usage {
  /** All input tokens, including cached ones. */
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` read from the provider's cache. */
  cacheReadTokens: number;
  /** The part of `inputTokens` written to the provider's cache. */
  cacheWriteTokens: number;
  /** The part of `outputTokens` spent on reasoning. */
  reasoningTokens: number;
}

/** Zero tokens. */
export const noUsage: Readonly<Usage> = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});

/** Returns the sum of two usages. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  };
}

/** Returns the sum of two costs in US dollars; `null` (unknown) if one of them is `null`. */
export function addCost(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}
