import { expect, test } from "vitest";
import { noFigures } from "../run/figures.ts";
import { type FamilyRunFigures, createEndedFigures } from "./ended-figures.ts";

const familyRun = (id: string, parentId: string | null, hasEnded: boolean): FamilyRunFigures => ({
  id,
  parentId,
  hasEnded,
  own: { ...noFigures, turns: 1 },
});

test("the figures of a run are cached only when it has ended with all its descendants", () => {
  const figures = createEndedFigures();
  const runs = [
    familyRun("a", null, true),
    familyRun("a-1", "a", true),
    familyRun("b", null, true),
    familyRun("b-1", "b", true),
    // It outlives the run that started it.
    familyRun("b-2", "b-1", false),
  ];
  const sums = figures.addUp(["a", "b", "none"], runs);
  expect(sums.get("b")).toMatchObject({ runs: 3, turns: 3 });
  const found = figures.find(["a", "b"]);
  expect(found.others).toEqual(["b"]);
  expect([...found.sums.keys()]).toEqual(["a", "a-1"]);
  expect(found.sums.get("a")).toEqual(sums.get("a"));
  // Two runs of a damaged journal are each other's parents.
  figures.addUp(["x"], [familyRun("x", "y", true), familyRun("y", "x", true)]);
  expect(figures.find(["x"]).others).toEqual([]);
});
