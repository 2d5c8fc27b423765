/** Limits of what a run and all its descendants may use together. Absent = no limit. */
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

/** The limits of a {@link Budget}. */
export const budgetLimits = ["tokens", "usd", "wallSeconds", "toolCalls"] as const;

/** What is added to the limits of a run while it is active, or for its retry. */
export interface LimitRaise {
  /** Added to the limits of its budget. */
  budget?: Budget;
  /** Seconds added to its timeout. */
  timeoutSeconds?: number;
}

/** Adds to the limits of a budget. A limit that `budget` does not have stays absent. */
export function raiseBudget(budget: Budget, added: Budget): Budget {
  const raised: Budget = { ...budget };
  for (const limit of budgetLimits) {
    const amount = budget[limit];
    if (amount !== undefined) raised[limit] = amount + (added[limit] ?? 0);
  }
  return raised;
}

/** Describes the added amounts: `tokens +50000, timeout +300 s`. */
export function describeRaise({ budget = {}, timeoutSeconds }: LimitRaise): string {
  const amounts = Object.entries(budget).map(([limit, amount]) => `${limit} +${amount}`);
  return [
    ...amounts,
    ...(timeoutSeconds === undefined ? [] : [`timeout +${timeoutSeconds} s`]),
  ].join(", ");
}
