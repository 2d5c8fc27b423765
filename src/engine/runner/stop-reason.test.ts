import { expect, test } from "vitest";
import { requireDone } from "./stop-reason.ts";

test("a turn that ended by itself is done", () => {
  expect(() => requireDone("coder", "end_turn")).not.toThrow();
});

test.each([
  ["max_tokens", "model-error", "cut at the output limit"],
  ["max_turn_requests", "limit-exceeded", "turns"],
  ["refusal", "model-error", "refused"],
  ["cancelled", "model-error", "nobody did"],
  ["toString", "model-error", '"toString"'],
])("a turn that ended with %s failed", (reason, code, message) => {
  const failure = { code, message: expect.stringContaining(message) };
  expect(() => requireDone("coder", reason)).toThrow(expect.objectContaining({ failure }));
});
