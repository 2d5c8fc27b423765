import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeFolded, layOutTree, type TreeRow } from "./run-tree.ts";
import { createRun } from "../../../test/cli/create-run.ts";
import type { RunOverview, RunStatus } from "../../host.ts";

const root = createRun({ id: "root", agent: "main", status: "running" });

function children(count: number, status: RunStatus, name: string): RunOverview[] {
  return Array.from({ length: count }, (_, index) =>
    createRun({ id: `${name}${index}`, agent: name, parentId: "root", depth: 1, status }),
  );
}

function draw(rows: readonly TreeRow[]): string[] {
  return rows.map(
    (row) => row.branch + ("folded" in row ? describeFolded(row.folded) : row.run.agent),
  );
}

describe("layOutTree", () => {
  it("draws branches, in the order of creation", () => {
    const runs = [
      root,
      createRun({ id: "a", agent: "a", parentId: "root", depth: 1, status: "running" }),
      createRun({ id: "b", agent: "b", parentId: "root", depth: 1, status: "running" }),
      createRun({ id: "c", agent: "c", parentId: "a", depth: 2, status: "succeeded" }),
    ];
    expect(draw(layOutTree(runs))).toEqual(["main", "├─ a", "│  └─ c", "└─ b"]);
  });

  it("begins at runs whose parent is not among them", () => {
    expect(draw(layOutTree(children(2, "running", "a")))).toEqual(["a", "a"]);
  });

  it("folds finished and queued siblings on a small screen, and shows failures and the others", () => {
    const runs = [
      root,
      ...children(83, "succeeded", "done"),
      ...children(2, "failed", "bad"),
      ...children(3, "running", "busy"),
      ...children(5, "queued", "later"),
    ];
    expect(draw(layOutTree(runs, 22))).toEqual([
      "main",
      "├─ bad",
      "├─ bad",
      "├─ busy",
      "├─ busy",
      "├─ busy",
      "└─ … 83 finished, 5 queued",
    ]);
    expect(draw(layOutTree(runs, 5))).toEqual([
      "main",
      "├─ busy",
      "├─ busy",
      "├─ busy",
      "└─ … 83 finished, 2 failed, 5 queued",
    ]);
    expect(draw(layOutTree(runs, 3))).toEqual([
      "main",
      "├─ busy",
      "└─ … 2 running, 83 finished, 2 failed, 5 queued",
    ]);
    expect(draw(layOutTree(runs, 1))).toEqual(["main"]);
  });

  it("never has more rows than the screen, and counts every folded run", () => {
    const status = fc.constantFrom<RunStatus>("queued", "running", "succeeded", "failed");
    const family = fc.array(fc.record({ status, parent: fc.nat(1000) }), { maxLength: 60 });
    fc.assert(
      fc.property(family, fc.integer({ min: 2, max: 30 }), (given, room) => {
        const runs = [root];
        for (const [index, run] of given.entries()) {
          const parent = runs[run.parent % runs.length] ?? root;
          const { id: parentId, depth } = parent;
          const { status: own } = run;
          runs.push(createRun({ id: `r${index}`, parentId, depth: depth + 1, status: own }));
        }
        const rows = layOutTree(runs, room);
        expect(rows.length).toBeLessThanOrEqual(room);
        const counted = rows.map((row) =>
          "run" in row ? 1 : Object.values(row.folded).reduce((sum, count) => sum + count, 0),
        );
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(runs.length);
      }),
    );
  });
});
