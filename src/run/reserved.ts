/** What of a budget is set aside for requests to models: the most they may take. */
export interface Reserved {
  tokens: number;
  usd: number;
}

/** The sum of `all`. */
export function addReserved(all: Iterable<Reserved>): Reserved {
  const sum = { tokens: 0, usd: 0 };
  for (const { tokens, usd } of all) {
    sum.tokens += tokens;
    sum.usd += usd;
  }
  return sum;
}
