import { expect, test } from "vitest";
import { costOf, priceOf } from "./price.ts";
import { priceTable, pricesAsOf } from "./price-table.ts";

const november = Date.parse("2026-11-21");
const usage = {
  inputTokens: 1_000,
  outputTokens: 100,
  cacheReadTokens: 400,
  cacheWriteTokens: 200,
  reasoningTokens: 50,
};

test("a cost counts uncached, cached and written input and all output", () => {
  const price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };
  expect(costOf(usage, price)).toBeCloseTo((400 * 10 + 400 * 1 + 200 * 12.5 + 100 * 50) / 1e6, 12);
});

test("all tokens of a long prompt have the long-prompt price", () => {
  const price = priceOf("anthropic:claude-haiku-5-5", november);
  const counts = { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  expect(costOf({ ...counts, inputTokens: 100_000 }, price)).toBeCloseTo(0.01, 12);
  expect(costOf({ ...counts, inputTokens: 100_001 }, price)).toBeCloseTo(0.0500005, 12);
});

test("an unknown price is null, never 0", () => {
  expect(priceOf("ollama:llama", november)).toBeNull();
  expect(costOf(usage, null)).toBeNull();
});

test("a dated id has the price of the undated one", () => {
  const price = priceOf("anthropic:claude-haiku-4-5-20251001", november);
  expect(price).toMatchObject({ input: 1, output: 5 });
  expect(priceOf("openai:gpt-5-2025-08-07", november)).toMatchObject({ input: 1.25 });
});

test("a price is valid from its first day", () => {
  expect(priceOf("google:gemini-4-argon", november)).toMatchObject({ input: 2 });
  expect(priceOf("google:gemini-4-argon", Date.parse("2026-12-01"))).toMatchObject({ input: 4 });
});

test("the user's own prices take precedence, by full or bare id", () => {
  const own = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  expect(priceOf("vllm:qwen", november, { qwen: own })).toBe(own);
  expect(priceOf("openai:gpt-5", november, { "openai:gpt-5": own })).toBe(own);
  expect(priceOf("vllm:constructor", november, { qwen: own })).toBeNull();
});

test("the table has a date and no negative or missing price", () => {
  expect(Date.parse(pricesAsOf)).not.toBeNaN();
  for (const { price } of priceTable) {
    const { longPrompt, ...rates } = price;
    for (const rate of [...Object.values(rates), ...Object.values(longPrompt ?? {})]) {
      expect(rate).toBeGreaterThan(0);
    }
  }
});
