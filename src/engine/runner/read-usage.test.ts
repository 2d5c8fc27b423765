import { expect, test } from "vitest";
import { noUsage } from "../../run/usage.ts";
import { readUsage } from "./read-usage.ts";

test("the tokens of a turn are read from each agent's own fields, and cached input is input", () => {
  const usage = { inputTokens: 5, outputTokens: 7, cachedReadTokens: 3, cachedWriteTokens: 1 };
  expect(readUsage({ usage: { ...usage, thoughtTokens: 2 } })).toEqual({
    inputTokens: 9,
    outputTokens: 7,
    cacheReadTokens: 3,
    cacheWriteTokens: 1,
    reasoningTokens: 2,
  });
  const quota = { token_count: { input_tokens: 100, output_tokens: 20 } };
  expect(readUsage({ _meta: { quota } })).toMatchObject({ inputTokens: 100, outputTokens: 20 });
});

test.each([
  [{}],
  [{ usage: null, _meta: null }],
  [{ usage: { inputTokens: -1, outputTokens: "7" } }],
  [{ _meta: { quota: [] } }],
  [{ _meta: { quota: { token_count: { input_tokens: 1e300 } } } }],
])("an invalid token count is ignored: %j", (answer) => {
  expect(readUsage(answer)).toEqual(noUsage);
});
