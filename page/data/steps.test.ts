import { expect, test } from "vitest";
import { readSteps } from "./steps.ts";
import type { RunEvent } from "./types.ts";

test("the steps of a journal are requests, calls, questions and pauses, in order of their beginnings", () => {
  const events = [
    {
      type: "model-retried",
      key: "model/1",
      attempt: 1,
      delayMs: 40,
      reason: "overloaded",
      at: 100,
    },
    { type: "step-finished", key: "model/1", kind: "model", durationMs: 150, at: 200 },
    { type: "approval-requested", request: { stepKey: "tool/1/0", title: "Bash ls" }, at: 210 },
    { type: "approval-answered", stepKey: "tool/1/0", at: 260 },
    { type: "step-started", key: "tool/1/0", title: "Bash ls", hasEffect: true, at: 261 },
    { type: "step-finished", key: "tool/1/0", kind: "tool", durationMs: 9, at: 270 },
    { type: "step-finished", key: "note/1", kind: "note", durationMs: 0, at: 271 },
    { type: "step-started", key: "tool/2/0", title: "Read x", hasEffect: false, at: 280 },
  ] as unknown as RunEvent[];
  expect(readSteps(events).map(({ kind, from, to }) => [kind, from, to])).toEqual([
    ["model", 50, 200],
    ["retry", 100, 140],
    ["question", 210, 260],
    ["tool", 261, 270],
    ["tool", 280, null],
  ]);
});
