import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samples } from "../../../test/is-long.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { readGraph } from "./read-graph.ts";
import { sortGraph } from "./sort-graph.ts";

async function read(text: string) {
  const path = join(temporaryFolder(), "graph.yaml");
  writeFileSync(path, text);
  const { graph, diagnostics } = await readGraph(path);
  return {
    graph,
    found: diagnostics.map(({ line, column, message }) => ({ line, column, message })),
  };
}

describe("the file of a graph", () => {
  test("has labelled runs, sorted so that dependencies come first", async () => {
    const { graph, found } = await read(`
model: sonnet
shared_context: { goal: ship }
runs:
  - { label: build, task: build it, depends_on: [plan, look], includeDependencyResult: true }
  - { label: plan, agent: planner, task: plan it, chainAfter: look }
  - label: look
    task: look
    timeout_seconds: 60
    retries: 2
    budget: { usd: 1 }
    sharedContext: { tone: dry }
  - { label: tell, task: tell, sharedContext: { $build: reference } }
`);
    expect(found).toEqual([]);
    expect(graph).toMatchObject({ model: "sonnet", sharedContext: { goal: "ship" } });
    expect(graph?.runs.map(({ label, agent, dependsOn }) => [label, agent, dependsOn])).toEqual([
      ["look", "main", []],
      ["plan", "planner", ["look"]],
      ["build", "main", ["plan", "look"]],
      ["tell", "main", ["build"]],
    ]);
    expect(graph?.runs[0]).toMatchObject({ timeoutSeconds: 60, retries: 2, budget: { usd: 1 } });
  });

  test("is checked completely: all problems are reported with line and column", async () => {
    const { graph, found } = await read(`runs:
  - { label: a, task: x, dependsOn: bb }
  - { label: b, taks: x }
  - { label: b, task: 3 }
  - just text
  - { task: x, timeoutSeconds: -1, detach: true }
nonsense: 1
sharedContext: { $a: reference }
`);
    expect(graph).toBeUndefined();
    const at = (line: number, column: number, message: RegExp) => ({
      line,
      column,
      message: expect.stringMatching(message) as string,
    });
    expect(found).toEqual([
      at(2, 26, /There is no run bb to wait for\. Did you mean `b`\? Labels: a, b/),
      at(3, 17, /taks: there is no such field\. Did you mean `task`\?$/),
      at(4, 7, /The label b is used twice/),
      at(4, 17, /task: expected text, got 3/),
      at(5, 5, /Expected a run as \{ label/),
      at(6, 5, /Expected a `label`/),
      at(6, 16, /timeoutSeconds: expected a number above 0/),
      at(6, 36, /Remove `detach`/),
      at(7, 1, /`nonsense` is not a field/),
      at(8, 18, /cannot refer to the result of one of them \(a\)/),
    ]);
  });

  test("must not have runs that wait for each other; the cycle is shown", async () => {
    const { graph, found } = await read(`runs:
  - { label: start, task: x, dependsOn: c }
  - { label: a, task: x, dependsOn: [b] }
  - { label: b, task: x, sharedContext: { $c: reference } }
  - { label: c, task: x, dependsOn: a }
`);
    expect(graph).toBeUndefined();
    expect(found).toEqual([
      {
        line: 5,
        column: 26,
        message: "These runs would wait for each other forever: c -> a -> b -> c.",
      },
    ]);
  });

  test.each([
    ["nothing", ""],
    ["a list", "- a"],
    ["no list of runs", "runs: 3"],
    ["an empty list of runs", "runs: []"],
    ["invalid YAML", "runs: ["],
  ])("is refused when it is %s", async (_, text) => {
    const { graph, found } = await read(text);
    expect(graph).toBeUndefined();
    expect(found.length).toBeGreaterThan(0);
  });

  test("that does not exist is a finding too", async () => {
    const { graph, diagnostics } = await readGraph("/nowhere/graph.yaml");
    expect(graph).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "not-found" }]);
  });
});

describe("sorting a graph", () => {
  test("puts each run after its dependencies, or shows a cycle", () => {
    const graphs = fc.array(fc.array(fc.nat({ max: 12 }), { maxLength: 3 }), { maxLength: 13 });
    let cycles = 0;
    fc.assert(
      fc.property(graphs, (edges) => {
        const nodes = edges.map((after, index) => ({
          name: `${index}`,
          after: after.filter((other) => other < edges.length).map(String),
        }));
        const order = sortGraph(nodes);
        if ("sorted" in order) {
          expect(order.sorted.map(({ name }) => name).toSorted()).toEqual(
            nodes.map(({ name }) => name).toSorted(),
          );
          const places = new Map(order.sorted.map(({ name }, place) => [name, place]));
          for (const { name, after } of nodes) {
            for (const other of after) {
              expect(places.get(other)).toBeLessThan(places.get(name) ?? -1);
            }
          }
        } else {
          cycles += 1;
          const { cycle } = order;
          expect(cycle.length).toBeGreaterThan(1);
          expect(cycle.at(-1)).toBe(cycle[0]);
          for (const [index, name] of cycle.slice(0, -1).entries()) {
            const node = nodes.find((one) => one.name === name);
            expect(node?.after).toContain(cycle[index + 1]);
          }
        }
      }),
      { numRuns: samples(300) },
    );
    expect(cycles).toBeGreaterThan(20);
  });
});
