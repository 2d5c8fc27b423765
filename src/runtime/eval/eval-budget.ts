import type { Budget } from "../../run/budget.ts";
import type { RunResult } from "../../run/result.ts";

/** The budget of all runs of an eval. */
export interface EvalBudget {
  /** Returns the budget of the next run, which {@link EvalBudget.settle} ends; `null` when nothing is left. */
  take(): Budget | null;
  settle(taken: Budget, used: Pick<RunResult, "cost" | "usage" | "toolCalls"> | undefined): void;
}

const countedKeys = ["usd", "tokens", "toolCalls"] as const;

/**
 * Divides `budget` among runs, of which at most `concurrency` are active. Each gets an equal share of the rest, and its unused
 * budget returns. `now` is a monotonic clock in milliseconds.
 */
export function createEvalBudget(
  budget: Budget,
  concurrency: number,
  now: () => number,
): EvalBudget {
  const left: Budget = { ...budget };
  const deadline = budget.wallSeconds === undefined ? undefined : now() + budget.wallSeconds * 1000;
  let active = 0;
  return {
    take() {
      const share: Budget = {};
      for (const key of countedKeys) {
        const rest = left[key];
        if (rest === undefined) continue;
        const part = rest / Math.max(1, concurrency - active);
        // Small whole numbers are not divided into nothing.
        share[key] = key === "usd" ? part : Math.max(Math.floor(part), Math.min(rest, 1));
        if (share[key] <= 0) return null;
      }
      if (deadline !== undefined) share.wallSeconds = (deadline - now()) / 1000;
      if (share.wallSeconds !== undefined && share.wallSeconds <= 0) return null;
      for (const key of countedKeys) {
        const rest = left[key];
        if (rest !== undefined) left[key] = rest - (share[key] ?? 0);
      }
      active += 1;
      return share;
    },
    settle(taken, used) {
      active -= 1;
      if (used === undefined) return returnShare(left, taken, { usd: 0, tokens: 0, toolCalls: 0 });
      const { cost, usage, toolCalls } = used;
      const tokens = usage.inputTokens + usage.outputTokens;
      // When the cost is unknown, it may be the whole share.
      returnShare(left, taken, { usd: cost ?? taken.usd ?? 0, tokens, toolCalls });
    },
  };
}

function returnShare(
  left: Budget,
  taken: Budget,
  used: Readonly<Record<(typeof countedKeys)[number], number>>,
): void {
  for (const key of countedKeys) {
    const rest = left[key];
    if (rest !== undefined) left[key] = rest + (taken[key] ?? 0) - used[key];
  }
}
