/** Limits on the resources that a run and all its descendants may use together. Absent = no limit. */
export interface Budget {
  /** Input and output tokens. */
  tokens?: number;
  /** US dollars. */
  usd?: number;
  /** Seconds from the start of the run. */
  wallSeconds?: number;
  /** Tool calls. */
  toolCalls?: number;
}

/** The limits of a {@link Budget}. */
export const budgetLimits = ["tokens", "usd", "wallSeconds", "toolCalls"] as const;

/** Amounts to add to the limits of an active run, or of a retry. */
export interface LimitRaise {
  /** Added to the limits of its budget. */
  budget?: Budget;
  /** Seconds added to its timeout. */
  timeoutSeconds?: number;
}

/** Adds to the limits of a budget. A limit that `budget` lacks stays absent. */
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
