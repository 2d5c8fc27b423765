import { describe, expect, test } from "vitest";
import { buildGraph, draw, maxNodes } from "./graph.ts";
import type { ServedRun, StepSpan } from "./types.ts";

function run(id: string, parentId: string | null, given: Partial<ServedRun> = {}): ServedRun {
  return { id, parentId, parentStep: null, dependsOn: [], ...given } as ServedRun;
}

function event(key: string, title: string, emittedBy: string | null, heardBy: string[]): StepSpan {
  return { kind: "event", key, title, emittedBy, heardBy, from: 0, to: 0 };
}

describe("a graph", () => {
  test("leads from a run to those it started, and from dependencies to those that waited", () => {
    const family = [
      run("root", null),
      run("a", "root"),
      run("b", "root"),
      run("c", "root", { dependsOn: ["a", "b"] }),
    ];
    expect(buildGraph(family, "root", new Map()).edges).toEqual([
      { from: "root", to: "a", kind: "started" },
      { from: "root", to: "b", kind: "started" },
      { from: "a", to: "c", kind: "dependency" },
      { from: "b", to: "c", kind: "dependency" },
    ]);
  });

  test("has the events of a pipeline between the agents that emitted and those that heard them", () => {
    const family = [
      run("root", null),
      run("scout", "root", { parentStep: "pipeline/0/0" }),
      run("planner", "root", { parentStep: "pipeline/1/1" }),
      run("writer", "root", { parentStep: "pipeline/1/10" }),
    ];
    const steps = [
      event("pipeline/0", "start", null, ["scout.ts"]),
      event("pipeline/1", "found", "scout.ts", ["planner.md", "writer.md"]),
      event("pipeline/2", "heard by nobody", "writer.md", []),
      event("pipeline/3", "end", null, []),
    ];
    const { nodes, edges } = buildGraph(family, "root", new Map([["root", steps]]));
    expect(edges.map(({ from, to }) => `${from} > ${to}`)).toEqual([
      "root > root pipeline/0",
      "root pipeline/0 > scout",
      "scout > root pipeline/1",
      "root pipeline/1 > planner",
      "root pipeline/1 > writer",
      "writer > root pipeline/2",
    ]);
    expect(nodes.filter(({ kind }) => kind === "event")).toHaveLength(3);
  });

  test("says how many runs it leaves out of a large family", () => {
    const family = [
      run("root", null),
      ...Array.from({ length: 400 }, (_, index) => run(`r${index}`, "root")),
      run("below", "r1"),
    ];
    expect(buildGraph(family, "root", new Map())).toMatchObject({ hidden: 402 - maxNodes });
    expect(buildGraph(family, "r1", new Map()).nodes.map(({ id }) => id)).toEqual(["r1", "below"]);
  });

  test("is drawn from left to right without nodes on top of each other", () => {
    const family = [
      run("root", null),
      ...["a", "b", "c"].map((id) => run(id, "root")),
      run("d", "root", { dependsOn: ["a", "c"] }),
    ];
    const { nodes, edges } = buildGraph(family, "root", new Map());
    const { places, lines } = draw(nodes, edges);
    const [root, a, d] = ["root", "a", "d"].map((id) => places.get(id)?.x ?? 0) as [
      number,
      number,
      number,
    ];
    expect(root).toBeLessThan(a);
    expect(a).toBeLessThan(d);
    const all = [...places.values()];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) {
        const isApart = Math.abs(one.x - other.x) >= 190 || Math.abs(one.y - other.y) >= 52;
        expect(isApart).toBe(true);
      }
    }
    for (const points of lines) expect(points.length).toBeGreaterThanOrEqual(2);
  });
});
