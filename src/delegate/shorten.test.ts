import { expect, test } from "vitest";
import { shortDescription } from "./shorten.ts";

test("a very long description becomes one line of at most 500 characters", () => {
  expect(shortDescription("Reads\n\n  everything ", 1)).toBe("Reads everything");
  expect(shortDescription("word ".repeat(1000), 3)).toMatch(/^word .{494}…$/);
});

test("descriptions of many agents are shortened so that their total is bounded, and none is empty", () => {
  const described = (count: number): string => shortDescription("x".repeat(500), count);
  for (const count of [60, 61, 100, 500, 1000]) {
    expect(described(count).length * count).toBeLessThanOrEqual(30_000);
  }
  expect(described(500)).toHaveLength(60);
  expect(described(100_000)).toHaveLength(30);
});
