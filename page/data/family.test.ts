import { describe, expect, test } from "vitest";
import { findCriticalPath, layOutFamily, nameOf, spanOf } from "./family.ts";
import type { ServedRun } from "./types.ts";

function run(id: string, parentId: string | null, times: Partial<ServedRun> = {}): ServedRun {
  const rest = {
    rootId: "root",
    createdAt: 0,
    startedAt: 1,
    endedAt: 2,
    isLeft: false,
    dependsOn: [],
    lastEventAt: 2,
  };
  return { id, parentId, ...rest, ...times } as ServedRun;
}

const family = [
  run("root", null, { endedAt: 100 }),
  run("a", "root", { endedAt: 90 }),
  run("b", "root", { endedAt: 40 }),
  run("a1", "a", { endedAt: 50 }),
  run("a2", "a", { endedAt: 80 }),
];

describe("a family", () => {
  test("is laid out with each child below its parent, without those of folded runs", () => {
    const rows = layOutFamily(family, new Set());
    expect(rows.map((row) => `${row.depth} ${row.run.id}`)).toEqual([
      "0 root",
      "1 a",
      "2 a1",
      "2 a2",
      "1 b",
    ]);
    const folded = layOutFamily(family, new Set(["a"]));
    expect(folded.map((row) => row.run.id)).toEqual(["root", "a", "b"]);
    expect(folded[1]?.childCount).toBe(2);
  });

  test("begins with a run whose parent is not there", () => {
    expect(layOutFamily([run("x", "gone")], new Set())).toMatchObject([{ depth: 0 }]);
  });

  test("took from its first creation to its last end, until now while a run is active", () => {
    expect(spanOf(family, 500)).toEqual({ from: 0, to: 100 });
    expect(spanOf([...family, run("c", "root", { endedAt: null })], 500).to).toBe(500);
    const left = run("c", "root", { endedAt: null, isLeft: true, lastEventAt: 120 });
    expect(spanOf([...family, left], 500).to).toBe(120);
  });

  test("ended when the runs on its critical path had ended", () => {
    expect([...findCriticalPath(family, 500)]).toEqual(["root", "a", "a2"]);
  });

  test("has on its critical path what a run on it had to wait for", () => {
    const waiting = run("w", "root", { endedAt: 95, dependsOn: ["a", "b"] });
    const path = findCriticalPath([...family, waiting], 500);
    expect([...path].toSorted()).toEqual(["a", "a2", "root", "w"]);
  });

  test("names a run by its label, and an agent of a pipeline by its name", () => {
    expect(nameOf(run("x", null, { agent: "worker", label: "links" }))).toBe("links");
    expect(nameOf(run("x", null, { agent: "worker", label: null }))).toBe("worker");
    const found = { agent: "scout", label: "start", parentStep: "pipeline/0/0" };
    expect(nameOf(run("x", "root", found))).toBe("scout");
  });
});
