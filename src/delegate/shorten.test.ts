import { expect, test } from "vitest";
import { oneLine } from "./shorten.ts";

test("a description of pages is one line of at most 500 characters", () => {
  expect(oneLine("Reads\n\n  everything ", 1)).toBe("Reads everything");
  expect(oneLine("word ".repeat(1000), 3)).toMatch(/^word .{494}…$/);
});

test("of many agents less is said of each, so that all together stay bounded, and something of each", () => {
  const described = (count: number): string => oneLine("x".repeat(500), count);
  for (const count of [60, 61, 100, 500, 1000]) {
    expect(described(count).length * count).toBeLessThanOrEqual(30_000);
  }
  expect(described(500)).toHaveLength(60);
  expect(described(100_000)).toHaveLength(30);
});
