/** What a run and all its descendants may use together. Absent = no bound. */
export interface Budget {
  /** Input and output tokens. */
  tokens?: number;
  /** US dollars. */
  usd?: number;
  /** Seconds from the start of the run. */
  wallSeconds?: number;
  /** Calls of tools. */
  toolCalls?: number;
}
