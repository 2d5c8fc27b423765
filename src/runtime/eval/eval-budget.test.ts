import { expect, test } from "vitest";
import { createEvalBudget } from "./eval-budget.ts";

const now = (): number => 0;

test("runs share the budget of an eval, and the rest of a share returns", () => {
  const budget = createEvalBudget({ usd: 1, tokens: 1001 }, 2, now);
  const first = budget.take();
  expect(first).toEqual({ usd: 0.5, tokens: 500 });
  expect(budget.take()).toEqual({ usd: 0.5, tokens: 501 });
  const usage = {
    inputTokens: 60,
    outputTokens: 40,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  budget.settle(first ?? {}, { cost: 0.25, usage, toolCalls: 0 });
  expect(budget.take()).toEqual({ usd: 0.25, tokens: 400 });
});

test("a budget of fewer tool calls than runs is given one by one until none is left", () => {
  const budget = createEvalBudget({ toolCalls: 3 }, 4, now);
  const shares = [1, 2, 3, 4].map(() => budget.take());
  expect(shares).toEqual([{ toolCalls: 1 }, { toolCalls: 1 }, { toolCalls: 1 }, null]);
});
