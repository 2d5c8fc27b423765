import { expect, test } from "vitest";
import { readSteps } from "./steps.ts";
import type { RunEvent } from "../event.ts";

test("the steps of a journal are requests, calls, questions, pauses and events of pipelines, read at once or as they arrive", () => {
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
    {
      type: "step-finished",
      key: "pipeline/1",
      kind: "note",
      durationMs: 0,
      value: { event: "found::bug", emitted_by: "scout", agents: ["fixer"] },
      at: 272,
    },
    { type: "step-started", key: "tool/2/0", title: "Read x", hasEffect: false, at: 280 },
  ].map((event, index) => Object.assign(event, { seq: index + 1 })) as unknown as RunEvent[];
  const whole = readSteps(events);
  expect(whole.steps.map(({ kind, from, to }) => [kind, from, to])).toEqual([
    ["retry", 100, 140],
    ["model", 50, 200],
    ["question", 210, 260],
    ["tool", 261, 270],
    ["event", 272, 272],
    ["tool", 280, null],
  ]);
  expect(whole.steps[4]).toMatchObject({
    title: "found::bug",
    emittedBy: "scout",
    heardBy: ["fixer"],
  });
  // The same, event by event, as they arrive at a page.
  const live = events.reduce((before, event) => readSteps([event], before), readSteps([]));
  expect(live).toEqual(whole);
  expect(live.lastSeq).toBe(events.length);
});

test("a step that was open when its process was killed ends with the next start", () => {
  const { steps } = readSteps([
    { type: "step-started", key: "tool/1/0", title: "Bash x", at: 10, seq: 1 },
    { type: "run-started", owner: "2", at: 90, seq: 2 },
  ] as unknown as RunEvent[]);
  expect(steps).toMatchObject([{ from: 10, to: 90 }]);
});
