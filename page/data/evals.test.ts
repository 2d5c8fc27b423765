import { expect, test } from "vitest";
import { reportEval } from "../../src/eval/eval-report.ts";
import { pairCases } from "./evals.ts";
import type { LoadedCase, RecordedEval, Trial } from "./types.ts";

function evalOf(
  cases: readonly Partial<LoadedCase>[],
  trials: readonly [name: string, model: string | null, number: number, Trial["outcome"]][],
): RecordedEval {
  const base = { path: "/e.yaml", agent: "main", delegation: "run", repeat: 1, pass: 1 } as const;
  const all = cases.map((one): LoadedCase => ({ ...base, name: "a", task: "t", ...one }));
  const graded = trials.map(([name, model, number, outcome]): Trial => ({
    case: name,
    model,
    number,
    outcome,
    reasons: [],
    judgeCost: 0,
  }));
  return {
    eval: {} as RecordedEval["eval"],
    cases: all,
    report: reportEval("e", all, graded, false),
  };
}

test("cases are paired by name and model, and trials by number", () => {
  const one = evalOf(
    [{ name: "a" }, { name: "b" }],
    [
      ["a", "x", 1, "pass"],
      ["a", "y", 1, "pass"],
      ["b", "x", 1, "pass"],
    ],
  );
  const other = evalOf(
    [{ name: "a", task: "other" }, { name: "c" }],
    [
      ["a", "y", 2, "fail"],
      ["a", "y", 1, "pass"],
      ["a", "z", 1, "pass"],
      ["c", "y", 1, "pass"],
    ],
  );
  const pairs = pairCases(one, other);
  expect(pairs.map(({ name, sides }) => [name, ...sides.map((side) => side?.model)])).toEqual([
    ["a", "x", undefined],
    ["a", "y", "y"],
    ["a", undefined, "z"],
    ["b", "x", undefined],
    ["c", undefined, "y"],
  ]);
  expect(pairs[1]?.trials.map((pair) => pair.map((trial) => trial?.number))).toEqual([
    [1, 1],
    [undefined, 2],
  ]);
  expect(pairs[1]?.changes).toEqual([{ name: "task", values: ["t", "other"] }]);
  expect(pairs[3]?.changes).toEqual([]);
});

test("where each eval has one model, cases are paired across models", () => {
  const one = evalOf([{}], [["a", "x", 1, "pass"]]);
  const other = evalOf([{}], [["a", null, 1, "fail"]]);
  const [pair] = pairCases(one, other);
  expect(pair?.sides.map((side) => side?.model)).toEqual(["x", null]);
  expect(pair?.trials).toHaveLength(1);
});
