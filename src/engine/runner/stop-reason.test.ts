import { expect, test } from "vitest";
import { requireDone } from "./stop-reason.ts";

test("a turn that ended normally succeeded", () => {
  expect(() => requireDone("coder", { stopReason: "end_turn", refused: "rm" })).not.toThrow();
});

test.each([
  ["max_tokens", "model-error", "cut at the output limit"],
  ["max_turn_requests", "limit-exceeded", "turns"],
  ["refusal", "model-error", "refused"],
  ["cancelled", "model-error", "was not requested"],
  ["toString", "model-error", '"toString"'],
])("a turn that ended with %s failed", (stopReason, code, message) => {
  const failure = { code, message: expect.stringContaining(message) };
  expect(() => requireDone("coder", { stopReason })).toThrow(expect.objectContaining({ failure }));
});

test("a turn that was cancelled after a refusal names the refusal", () => {
  const message = expect.stringContaining("not allowed to continue with rm x: mode deny.");
  const failure = { code: "permission-denied", message };
  const end = { stopReason: "cancelled", refused: "rm x: mode deny" };
  expect(() => requireDone("coder", end)).toThrow(expect.objectContaining({ failure }));
});

test("a turn that ended normally after an error failed", () => {
  const failure = { code: "model-error", message: expect.stringContaining("error: no quota.") };
  const end = { stopReason: "end_turn", error: "no quota" };
  expect(() => requireDone("coder", end)).toThrow(expect.objectContaining({ failure }));
});
