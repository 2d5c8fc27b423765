import { expect, test } from "vitest";
import type { LoadedCase } from "./eval-file.ts";
import { reportEval, type Trial } from "./eval-report.ts";

function evalCase(name: string, agents?: "none" | string[]): LoadedCase {
  const base = { path: "/e.yaml", agent: "main", delegation: "stop", repeat: 1, pass: 1 } as const;
  return { ...base, name, task: "t", ...(agents !== undefined && { expect: { agents } }) };
}

function trial(name: string, agents: readonly string[], more: Partial<Trial> = {}): Trial {
  const delegations = agents.map((agent) => ({ agent, task: "t" }));
  const record = {
    runId: "r",
    status: "succeeded",
    text: "",
    delegations,
    tools: [],
    cost: 0.5,
    tokens: 10,
    turns: 1,
    durationMs: 100,
  } as const;
  const base = { case: name, model: null, number: 1, reasons: [], judgeCost: 0 } as const;
  return { ...base, outcome: "pass", record, ...more };
}

function matrixOf(agents: "none" | string[] | undefined, ...chosen: string[][]) {
  const trials = chosen.map((names) => trial("one", names));
  return reportEval("e", [evalCase("one", agents)], trials, false);
}

test("with one expected agent, a trial counts for it or for the one chosen instead", () => {
  const { confusion, mixUps } = matrixOf(["a"], ["a"], ["a", "b"], ["b"], ["c", "b"], []);
  expect(confusion).toEqual({ a: { a: 2, b: 1, c: 1, none: 1 } });
  expect(mixUps).toEqual([
    { expected: "a", chosen: "b", times: 1, of: 5 },
    { expected: "a", chosen: "c", times: 1, of: 5 },
    { expected: "a", chosen: "none", times: 1, of: 5 },
  ]);
});

test("with several, each has a row: an agent that was also expected does not count as chosen instead of another", () => {
  expect(matrixOf(["a", "b"], ["a", "b"]).confusion).toEqual({ a: { a: 1 }, b: { b: 1 } });
  expect(matrixOf(["a", "b"], ["a"]).confusion).toEqual({ a: { a: 1 }, b: { none: 1 } });
  expect(matrixOf(["a", "b"], ["a", "c"]).confusion).toEqual({ a: { a: 1 }, b: { c: 1 } });
  expect(matrixOf(["a", "a", "b"], ["b"]).confusion).toEqual({ a: { none: 1 }, b: { b: 1 } });
});

test("no expected delegation is a row of its own, and a case without expected agents has none", () => {
  expect(matrixOf("none", [], ["a"]).confusion).toEqual({ none: { none: 1, a: 1 } });
  expect(matrixOf(undefined, ["a"]).confusion).toEqual({});
});

test("an agent may have the name of an object's method", () => {
  const { confusion } = matrixOf(["constructor"], ["toString"], ["constructor"]);
  expect(Object.entries(confusion["constructor"] ?? {})).toEqual([
    ["toString", 1],
    ["constructor", 1],
  ]);
});

test("most frequent mix-ups come first, and trials with an error are not counted", () => {
  const cases = [evalCase("one", ["a"]), evalCase("two", ["b"])];
  const failed = trial("one", [], { outcome: "error" });
  const trials = [trial("one", ["c"]), trial("two", ["a"]), trial("two", ["a"]), failed];
  const report = reportEval("e", cases, trials, false);
  expect(report.mixUps.map(({ expected, chosen, times }) => [expected, chosen, times])).toEqual([
    ["b", "a", 2],
    ["a", "c", 1],
  ]);
  expect(report).toMatchObject({ outcome: "error", cost: 2, tokens: 40 });
});

test("the interval of the pass rate needs five graded trials, and an unknown price makes the cost unknown", () => {
  const trials = Array.from({ length: 5 }, (_, index) =>
    trial("one", ["a"], index === 0 ? { outcome: "fail", judgeCost: null } : {}),
  );
  const cases = [evalCase("one", ["a"])];
  const [whole] = reportEval("e", cases, trials, false).cases;
  expect(whole).toMatchObject({ passed: 4, failed: 1, outcome: "fail", cost: null });
  const [low = 0, high = 0] = whole?.interval ?? [];
  // The Wilson interval of 4 of 5.
  expect([low.toFixed(3), high.toFixed(3)]).toEqual(["0.376", "0.964"]);
  expect(reportEval("e", cases, trials.slice(1), false).cases[0]?.interval).toBeNull();
});
