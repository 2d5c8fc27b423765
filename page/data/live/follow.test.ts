import { describe, expect, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { toRunOverviews } from "../../../src/run/run-overview.ts";
import { applyEvent } from "../../../src/run/transition.ts";
import type { RunEventBody } from "../../../src/run/event.ts";
import type { Run } from "../../../src/run/run.ts";
import { applyToFamily, followJournal, followSteps } from "./follow.ts";
import type { RunEvent, ServedRun } from "../types.ts";

/** Numbers the events of several runs. */
function journal(...rows: [string, RunEventBody][]): RunEvent[] {
  const last = new Map<string, number>();
  return rows.map(([runId, body], index) => {
    const seq = (last.get(runId) ?? 0) + 1;
    last.set(runId, seq);
    return Object.assign({ runId, seq, at: 1000 + index, elapsedMs: 1 }, body);
  });
}

const usage = {
  inputTokens: 5,
  outputTokens: 2,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const reply: RunEventBody = {
  type: "step-finished",
  key: "model/1",
  kind: "model",
  value: { parts: [], finish: "stop" },
  usage,
  cost: 0.5,
  durationMs: 1,
};
const child = { rootId: "root", parentId: "root", parentStep: "tool/1/0", depth: 1 };
const events = journal(
  ["root", created("root")],
  ["root", { type: "run-started", owner: "1" }],
  ["root", { type: "step-started", key: "tool/1/0", title: "Agent x", hasEffect: false }],
  ["x", created("x", child)],
  ["other", created("other")],
  ["x", { type: "run-started", owner: "1" }],
  ["x", reply],
  ["x", finished("x")],
  ["root", { type: "step-finished", key: "tool/1/0", kind: "tool", value: {}, durationMs: 1 }],
  ["root", finished("root")],
);

/** Returns the server's answer after the first events. */
function serve(count: number): ServedRun[] {
  const runs = new Map<string, Run>();
  for (const event of events.slice(0, count)) {
    if (event.runId !== "other") runs.set(event.runId, applyEvent(runs.get(event.runId), event));
  }
  return toRunOverviews([...runs.values()]).map((run) => Object.assign(run, { isLeft: false }));
}

describe("a family that follows events", () => {
  test("is what the server would answer, wherever it begins and however the events come", () => {
    const whole = serve(events.length);
    for (let begin = 1; begin < events.length; begin += 1) {
      // The answer already contains some of the events.
      const late = events.slice(Math.max(0, begin - 2));
      expect(applyToFamily(serve(begin), late)).toEqual(whole);
      const single = late.reduce<readonly ServedRun[]>(
        (runs, event) => applyToFamily(runs, [event]) ?? [],
        serve(begin),
      );
      expect(single).toEqual(whole);
    }
    expect(whole[0]).toMatchObject({ runs: 2, cost: 0.5, usage, status: "succeeded" });
  });

  test("is read anew when an event is missing, and is the same when none is about it", () => {
    const runs = serve(2);
    expect(applyToFamily(runs, events.slice(5))).toBeUndefined();
    expect(applyToFamily(runs, events.slice(4, 5))).toBe(runs);
    const unknown = { ...events[2], type: "of-a-newer-server" } as unknown as RunEvent;
    expect(applyToFamily(runs, [unknown])).toBeUndefined();
  });

  test("has its steps and its journal without gaps and repeats", () => {
    const own = events.filter(({ runId }) => runId === "root");
    expect(followJournal(own.slice(0, 2), events, "root")).toEqual(own);
    expect(followJournal(own.slice(0, 1), own.slice(2), "root")).toBeUndefined();
    const steps = followSteps({ steps: [], lastSeq: 2 }, events, "root");
    expect(steps).toMatchObject({ lastSeq: 5, steps: [{ key: "tool/1/0", from: 1002, to: 1008 }] });
  });
});
