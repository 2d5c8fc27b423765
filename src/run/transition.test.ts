import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import type { ApprovalRequest } from "./permission.ts";
import type { RunEvent, RunEventBody } from "./event.ts";
import { isTerminal, type Run } from "./run.ts";
import { applyEvent } from "./transition.ts";

const request: ApprovalRequest = {
  runId: "a",
  stepKey: "tool/1/0",
  tool: "Bash",
  title: "Bash: ls",
  subject: "ls",
  input: {},
  chain: ["main"],
  reason: "mode ask",
};
const usage = {
  inputTokens: 10,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 0,
  reasoningTokens: 1,
};
const modelStep = (cost: number | null): RunEventBody => ({
  type: "step-finished",
  key: "model/1",
  kind: "model",
  value: {},
  usage,
  cost,
  durationMs: 5,
});
const bodies: RunEventBody[] = [
  created("a"),
  { type: "run-started", owner: "1" },
  { type: "step-started", key: "tool/1/0", title: "Read a.txt", hasEffect: false },
  modelStep(0.5),
  modelStep(null),
  { type: "approval-requested", request },
  { type: "approval-answered", stepKey: "tool/1/0", answer: { decision: "deny" } },
  { type: "model-retried", key: "model/1", attempt: 1, delayMs: 10, reason: "429" },
  { type: "conversation-compacted", turn: 1, removedCharacters: 10 },
  { type: "warning-raised", message: "mind" },
  { type: "cancel-requested", reason: "enough", by: "user" },
  finished("a"),
  finished("a", { status: "cancelled" }),
];

/**
 * Applies those of `given` that may follow, one second apart; returns the run and the applied events. Another process
 * wrote the events from the index `resumed` on.
 */
function applyEvents(
  given: readonly RunEventBody[],
  resumed: number = Infinity,
): { run: Run | undefined; taken: RunEvent[] } {
  let run: Run | undefined;
  const taken: RunEvent[] = [];
  for (const [index, body] of given.entries()) {
    const elapsed = index === 0 || index === resumed ? {} : { elapsedMs: 1000 };
    const fixture = { runId: "a", seq: taken.length + 1, at: index * 1000 };
    const event: RunEvent = { ...body, ...fixture, ...elapsed };
    try {
      run = applyEvent(run, event);
      taken.push(event);
    } catch (error) {
      expect(error).toMatchObject({ code: "invalid-argument" });
    }
  }
  return { run, taken };
}

describe("the state machine of a run", () => {
  test("accepts one creation and at most one end, in any order of events", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...bodies), { maxLength: 40 }), (given) => {
        const { run, taken } = applyEvents(given);
        const types = taken.map(({ type }) => type);
        expect(types.filter((type) => type === "run-created").length).toBeLessThanOrEqual(1);
        expect(types.lastIndexOf("run-created")).toBeLessThanOrEqual(0);
        const end = types.indexOf("run-finished");
        if (end >= 0) expect(end).toBe(types.length - 1);
        expect(run === undefined).toBe(taken.length === 0);
        if (run === undefined) return;
        expect(isTerminal(run.status)).toBe(end >= 0);
        expect(run.result === null).toBe(end < 0);
        expect(run.approval !== null).toBe(run.status === "awaiting-approval");
        expect(run.attempts).toBe(types.filter((type) => type === "run-started").length);
        expect(run.lastSeq).toBe(taken.length);
      }),
    );
  });

  test("counts turns and tokens, and one unknown price makes the cost unknown", () => {
    const { run } = applyEvents([
      created("a"),
      bodies[1] as RunEventBody,
      modelStep(0.5),
      modelStep(1),
    ]);
    expect(run?.own).toMatchObject({
      turns: 2,
      cost: 1.5,
      usage: { inputTokens: 20, outputTokens: 4 },
    });
    const unknown = applyEvents([
      created("a"),
      bodies[1] as RunEventBody,
      modelStep(0.5),
      modelStep(null),
    ]);
    expect(unknown.run?.own.cost).toBeNull();
  });

  test.each(bodies.slice(1))("refuses $type in a run that was never created", (body) => {
    expect(applyEvents([body]).taken).toEqual([]);
  });

  test.each(bodies)("refuses $type once the run has ended, and says why", (body) => {
    const { run } = applyEvents([created("a"), finished("a")]);
    const event: RunEvent = { ...body, runId: "a", seq: 3, at: 0 };
    expect(() => applyEvent(run, event)).toThrow(/cannot follow in a run that is succeeded/);
  });

  test("refuses an answer without a question and a second question before the answer", () => {
    const [, started, , , , asked, answered] = bodies as [RunEventBody, ...RunEventBody[]];
    if (!started || !asked || !answered) throw new Error("the list of events has changed");
    expect(applyEvents([created("a"), started, answered]).run?.status).toBe("running");
    expect(applyEvents([created("a"), started, answered]).taken).toHaveLength(2);
    expect(applyEvents([created("a"), started, asked, asked]).taken).toHaveLength(3);
  });

  test("begins as waiting with dependencies, else as queued", () => {
    expect(applyEvents([created("a", { dependsOn: ["b"] })]).run?.status).toBe("waiting");
    expect(applyEvents([created("a")]).run?.status).toBe("queued");
  });

  test("counts the time of earlier attempts, but not the time it waited for an answer", () => {
    const [, started, , , , asked, answered] = bodies as [RunEventBody, ...RunEventBody[]];
    if (!started || !asked || !answered) throw new Error("the list of events has changed");
    const warned: RunEventBody = { type: "warning-raised", message: "mind" };
    // Started at 1 s, asked at 2 s, answered at 3 s, last event at 4 s, started again at 5 s.
    const { run } = applyEvents([created("a"), started, asked, answered, warned, started], 5);
    expect(run).toMatchObject({ attempts: 2, spentMs: 2000, attemptStartedAt: 5000 });
    // From creation on, but not while no process owned it.
    expect(run?.elapsedMs).toBe(4000);
    // Killed while it waited: the time after the question does not count.
    const killed = applyEvents([created("a"), started, asked, started], 3).run;
    expect(killed).toMatchObject({ spentMs: 1000, approval: null, status: "running" });
  });

  test("does not count waits in a new process before that process starts it", () => {
    const started: RunEventBody = { type: "run-started", owner: "1" };
    const warned: RunEventBody = { type: "warning-raised", message: "mind" };
    const { run } = applyEvents(
      [created("a"), started, warned, warned, warned, started, warned],
      3,
    );
    // One second before the kill, one after the second start; two in the queue in between.
    expect(run).toMatchObject({ spentMs: 2000, elapsedMs: 5000 });
  });

  test("names the call in progress, and thinking while there is none", () => {
    const start = (title: string): RunEventBody => ({
      type: "step-started",
      key: title,
      title,
      hasEffect: false,
    });
    const end = (title: string, isUnstarted?: true): RunEventBody => ({
      type: "step-finished",
      key: title,
      kind: "tool",
      value: {},
      durationMs: 1,
      ...(isUnstarted && { isUnstarted }),
    });
    const begun: RunEventBody[] = [created("a"), { type: "run-started", owner: "1" }];
    const doing = (...after: RunEventBody[]): unknown =>
      applyEvents([...begun, ...after]).run?.activity;
    expect(doing()).toBe("thinking");
    const calling = [start("Read a"), start("Read b"), start("Read c")];
    expect(doing(...calling)).toBe("Read c");
    expect(doing(...calling, end("Read a"))).toBe("Read c");
    expect(doing(...calling, end("Read c"))).toBe("waiting for 2 calls");
    expect(doing(...calling, end("Read c"), end("Read b"))).toBe("waiting for 1 call");
    expect(doing(...calling, end("Read a"), end("Read b"), end("Read c"))).toBe("thinking");
  });

  test("still waits for the other calls when the user denied one", () => {
    const asked: RunEventBody[] = [
      created("a"),
      { type: "run-started", owner: "1" },
      { type: "step-started", key: "tool/1/1", title: "Agent reviewer", hasEffect: false },
      { type: "approval-requested", request },
      { type: "approval-answered", stepKey: request.stepKey, answer: { decision: "deny" } },
    ];
    const denied: RunEventBody = {
      type: "step-finished",
      key: request.stepKey,
      kind: "tool",
      value: {},
      durationMs: 0,
      isUnstarted: true,
    };
    expect(applyEvents(asked).run).toMatchObject({ activity: "waiting for 1 call", openSteps: 1 });
    expect(applyEvents([...asked, denied]).run).toMatchObject({
      activity: "waiting for 1 call",
      openSteps: 1,
    });
  });
});
