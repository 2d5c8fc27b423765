/** Selects the runs whose usage is added up: those created in a time range, grouped by period. */
export interface UsageRequest {
  /** Epoch milliseconds, inclusive. */
  since: number;
  /** Epoch milliseconds, inclusive. */
  until: number;
  /** The length of a period; the first one begins at 0. */
  periodMs: number;
}

/** The usage of an agent's runs with one model that were created in one period. Descendants are not included. */
export interface UsageSum {
  /** The start of the period in epoch milliseconds. */
  start: number;
  agent: string;
  model: string | null;
  runs: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; `null` when the price of one of the runs is unknown. */
  cost: number | null;
}
