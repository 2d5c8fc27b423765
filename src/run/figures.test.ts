import { describe, expect, test } from "vitest";
import { addUpFamilies, addUpRuns, type RunFigures, type Figures, noFigures } from "./figures.ts";

const figures = (turns: number, cost: number | null): Figures => ({
  turns,
  toolCalls: 1,
  usage: { ...noFigures.usage, inputTokens: 10 * turns },
  cost,
});
const familyRun = (id: string, parentId: string | null, own: Figures): RunFigures => ({
  id,
  parentId,
  own,
});

const root = familyRun("root", null, figures(1, 1));
const lead = familyRun("lead", "root", figures(2, 2));
const worker = familyRun("worker", "lead", figures(4, 4));
const other = familyRun("other", "root", figures(8, 8));

describe("addUpFamilies", () => {
  test.each([
    { order: "parents first", runs: [root, lead, worker, other] },
    { order: "children first", runs: [other, worker, lead, root] },
  ])("counts each run for itself and all its ancestors, with $order", ({ runs }) => {
    const sums = addUpFamilies(runs);
    expect(sums.get("root")).toMatchObject({ runs: 4, turns: 15, toolCalls: 4, cost: 15 });
    expect(sums.get("root")?.usage.inputTokens).toBe(150);
    expect(sums.get("lead")).toMatchObject({ runs: 2, turns: 6, cost: 6 });
    expect(sums.get("worker")).toEqual({ runs: 1, ...worker.own });
  });

  test("gives a family an unknown cost when the price of one part is unknown", () => {
    const sums = addUpFamilies([root, familyRun("lead", "root", figures(2, null)), other]);
    expect(sums.get("root")?.cost).toBeNull();
    expect(sums.get("other")?.cost).toBe(8);
  });

  test("terminates for runs that are each other's parents", () => {
    const sums = addUpFamilies([
      familyRun("a", "b", figures(1, 1)),
      familyRun("b", "a", figures(2, 2)),
    ]);
    expect(sums.get("a")).toMatchObject({ runs: 2, turns: 3 });
  });
});

test("addUpRuns counts every run once", () => {
  expect(addUpRuns([root, lead, worker])).toMatchObject({ runs: 3, turns: 7, cost: 7 });
  expect(addUpRuns([])).toEqual({ runs: 0, ...noFigures });
});
