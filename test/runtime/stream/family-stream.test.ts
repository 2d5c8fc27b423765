import { expect, test } from "vitest";
import { isLong } from "../../is-long.ts";
import type { CadreOptions, RunStreamPart } from "../../../src/index.ts";
import { createModelProject } from "../../fixtures/project.ts";
import { collect, joinPieces } from "../../fixtures/stream-parts.ts";
import {
  type Delta,
  startStreamingServer,
  type StreamingServer,
} from "../../fixtures/streaming-server.ts";

const many = isLong ? 1000 : 200;
const limits: CadreOptions["limits"] = { children: many, familyRuns: many + 1 };

/** Starts a model whose main agent calls each of `count` workers; each of them reports what it did. */
async function startWorkers(count: number): Promise<StreamingServer> {
  return await startStreamingServer(({ task, turn }): Delta[] => {
    if (task !== "go") return [{ text: "did " }, { text: task }];
    if (turn > 0) return [{ text: "all done" }];
    return Array.from({ length: count }, (_, index) => ({
      index,
      tool: "Agent",
      input: JSON.stringify({ type: "worker", prompt: `work ${index}` }),
    }));
  });
}

/** Checks the order of a family: children are announced before their parts, and end before the result of their call. */
function checkOrder(parts: readonly RunStreamPart[], rootId: string, isWhole: boolean): void {
  const calls = new Map<string, string>();
  const active = new Set<string>();
  const ended = new Set<string>();
  for (const part of parts) {
    const { runId } = part;
    expect(ended.has(runId)).toBe(false);
    if (part.type === "run-created") {
      expect(active.has(runId)).toBe(false);
      active.add(runId);
      if (part.step !== null) calls.set(part.step, runId);
      continue;
    }
    expect(active.has(runId)).toBe(true);
    if (part.type === "run-finished") ended.add(runId);
    else expect(isWhole || runId === rootId).toBe(true);
    const child = part.type === "tool-result" ? calls.get(part.id) : undefined;
    if (child !== undefined) expect(ended.has(child)).toBe(true);
  }
  expect(ended.size).toBe(active.size);
}

test("one stream has the output of many sub-agents", async () => {
  const server = await startWorkers(many);
  const project = createModelProject(server);
  project.writeAgent("worker");
  const cadre = await project.open({ limits });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const live = await collect(run.stream({ descendants: true }));
  checkOrder(live, run.id, true);
  const texts = joinPieces(live).flatMap((part) => (part.type === "text" ? part.text : []));
  const expected = Array.from({ length: many }, (_, index) => `did work ${index}`);
  expect(texts.toSorted()).toEqual([...expected, "all done"].toSorted());
  // The replies of workers are streamed too, including the first.
  expect(server.turns.filter(({ isStreamed }) => !isStreamed)).toEqual([]);
  const late = await collect(run.stream({ descendants: true }));
  checkOrder(late, run.id, true);
  expect(sortRuns(late)).toEqual(sortRuns(live));
  const outline = await collect(run.stream());
  checkOrder(outline, run.id, false);
  expect(outline.filter(({ type }) => type === "run-finished")).toHaveLength(many + 1);
});

/** Returns the parts of each run, because the order among runs may differ. */
function sortRuns(parts: readonly RunStreamPart[]): Map<string, RunStreamPart[]> {
  const runs = new Map<string, RunStreamPart[]>();
  for (const part of joinPieces(parts)) {
    const known = runs.get(part.runId);
    if (known === undefined) runs.set(part.runId, [part]);
    else known.push(part);
  }
  return runs;
}

test("another process that reads sees the same, each reply when it is complete", async () => {
  const project = createModelProject(await startWorkers(20));
  project.writeAgent("worker");
  const cadre = await project.open();
  const other = await project.open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const parts = await collect((await other.find(run.id)).stream({ descendants: true }));
  checkOrder(parts, run.id, true);
  expect(parts.filter(({ type }) => type === "run-finished")).toHaveLength(21);
  const late = await collect(run.stream({ descendants: true }));
  expect(sortRuns(parts)).toEqual(sortRuns(late));
});

test("the output of a sub-agent's sub-agents is part of its own stream, and of its parent's", async () => {
  const server = await startStreamingServer(({ task, turn }): Delta[] => {
    const next = { go: "middle", middle: "leaf" }[task];
    if (next === undefined || turn > 0) return [{ text: `${task} done` }];
    return [{ index: 0, tool: "Agent", input: JSON.stringify({ type: next, prompt: next }) }];
  });
  const project = createModelProject(server);
  project.writeAgent("middle");
  project.writeAgent("leaf");
  const cadre = await project.open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const parts = await collect(run.stream({ descendants: true }));
  checkOrder(parts, run.id, true);
  const [, middle, leaf] = await cadre.tree(run.id);
  const below = await collect((await cadre.find(middle?.id ?? "")).stream({ descendants: true }));
  expect(new Set(below.map(({ runId }) => runId))).toEqual(new Set([middle?.id, leaf?.id]));
  const ofBelow = parts.filter(({ runId }) => runId !== run.id);
  expect(joinPieces(ofBelow)).toEqual(joinPieces(below));
});

test("a background run ends before its parent reads its result", async () => {
  const server = await startStreamingServer(({ task, turn }): Delta[] => {
    if (task !== "go") return [{ text: `did ${task}` }];
    const tasks = { task: ["one", "two", "three"], parallel: true };
    if (turn > 0) return [{ text: "all done" }];
    return [{ index: 0, tool: "sessions_spawn", input: JSON.stringify(tasks) }];
  });
  const cadre = await createModelProject(server).open();
  const run = await cadre.spawn({ agent: "main", task: "go" });
  await run.result();
  const parts = await collect(run.stream());
  checkOrder(parts, run.id, false);
  const ends = parts.map((part) => (part.type === "run-finished" ? part.runId : ""));
  const read = parts.flatMap((part, index) => (part.type === "message" ? [[part.id, index]] : []));
  expect(read).toHaveLength(3);
  for (const [id, index] of read) expect(ends.indexOf(String(id))).toBeLessThan(Number(index));
});
