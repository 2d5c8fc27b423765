import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addCost, addUsage, noUsage } from "./usage.ts";

const count = fc.nat();
const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
});

test("usages add up in any order, and noUsage adds nothing", () => {
  fc.assert(
    fc.property(usage, usage, usage, (left, middle, right) => {
      expect(addUsage(left, noUsage)).toEqual(left);
      expect(addUsage(left, right)).toEqual(addUsage(right, left));
      expect(addUsage(addUsage(left, middle), right)).toEqual(
        addUsage(left, addUsage(middle, right)),
      );
    }),
  );
});

test("an unknown cost makes the sum unknown, and never counts as 0", () => {
  expect(addCost(1, 2)).toBe(3);
  expect(addCost(0, 0)).toBe(0);
  expect(addCost(null, 2)).toBeNull();
  expect(addCost(1, null)).toBeNull();
  expect(addCost(null, null)).toBeNull();
});
