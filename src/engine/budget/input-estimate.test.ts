import { expect, test } from "vitest";
import { assistantMessage, systemMessage, userMessage } from "../../model/conversation.ts";
import { noUsage } from "../../run/usage.ts";
import { createInputEstimate } from "./input-estimate.ts";

const prompt = [systemMessage("Be brief."), userMessage("你好".repeat(100))];
const reply = assistantMessage({ parts: [{ type: "text", text: "好的".repeat(100) }] });

test("uses the provider's counts, and estimates only later messages", () => {
  const input = createInputEstimate([]);
  const first = input.estimate(prompt);
  input.learn(prompt, { ...noUsage, inputTokens: 1000, outputTokens: 700, reasoningTokens: 200 });
  expect(input.estimate(prompt)).toBe(1000);
  const next = [...prompt, reply, userMessage("Go on.")];
  // The reply had 500 tokens, which are sent again.
  expect(input.estimate(next)).toBeGreaterThan(1500);
  expect(input.estimate(next)).toBeLessThan(1530);
  // The conversation after compaction.
  expect(input.estimate([systemMessage("Be brief.")])).toBeLessThan(1000);
  expect(input.estimate([systemMessage("Be brief.")])).toBeGreaterThan(0);
  expect(first).toBeGreaterThan(200);
});

test("keeps estimating if the provider returns no counts", () => {
  const input = createInputEstimate([]);
  const before = input.estimate(prompt);
  input.learn(prompt, noUsage);
  input.learn(prompt, undefined);
  expect(input.estimate(prompt)).toBe(before);
});

test("leaves less room for messages if the provider counts more than the estimate", () => {
  const tools = [{ name: "Look", description: "d".repeat(350), inputSchema: {} }];
  const input = createInputEstimate(tools);
  const estimated = input.estimate(prompt);
  expect(input.room(prompt, 10_000)).toBeGreaterThan(9800);
  expect(input.room(prompt, 10_000)).toBeLessThan(9900);
  input.learn(prompt, { ...noUsage, inputTokens: 2 * estimated });
  expect(input.room(prompt, 10_000)).toBeLessThan(5000);
  // A smaller count may omit tokens that were read from a cache.
  input.learn(prompt, { ...noUsage, inputTokens: 10 });
  expect(input.room(prompt, 10_000)).toBeGreaterThan(9800);
});
