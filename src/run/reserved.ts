/** The part of a budget reserved for model requests: their maximum usage. */
export interface Reserved {
  tokens: number;
  usd: number;
}

/** Returns the sum of `all`. */
export function addReserved(all: Iterable<Reserved>): Reserved {
  const sum = { tokens: 0, usd: 0 };
  for (const { tokens, usd } of all) {
    sum.tokens += tokens;
    sum.usd += usd;
  }
  return sum;
}
