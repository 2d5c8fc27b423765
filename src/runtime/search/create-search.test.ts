import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { created, finished } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { RunEventBody } from "../../run/event.ts";
import { noUsage } from "../../run/usage.ts";
import { openRegistry } from "../../registry/sqlite/sqlite-registry.ts";
import type { Registry } from "../../registry/registry.ts";
import { removeFromIndex } from "../../registry/sqlite/search-index.ts";
import { createSearch, indexName, type RunSearcher } from "./create-search.ts";

function open(folder = temporaryFolder()): {
  folder: string;
  registry: Registry;
  searcher: RunSearcher;
  find: (text: string, more?: object) => Promise<string[]>;
} {
  const registry = openRegistry({ path: join(folder, "cadre.db") });
  const searcher = createSearch(folder);
  onTestFinished(async () => {
    await searcher.close();
    await registry.close();
  });
  const find = async (text: string, more = {}): Promise<string[]> => {
    const { hits, isComplete } = await searcher.search(registry, { text, ...more });
    expect(isComplete).toBe(true);
    return hits.map(({ run, kind }) => `${run.id} ${kind}`);
  };
  return { folder, registry, searcher, find };
}

const textEvent = (key: string, text: string): RunEventBody => ({
  type: "step-finished",
  kind: "model",
  key,
  value: {
    finish: "stop",
    parts: [
      { type: "text", text },
      { type: "tool-call", id: "1", tool: "Bash", input: { command: "npm audit" } },
    ],
  },
  usage: noUsage,
  cost: 0,
  durationMs: 1,
});

async function write(registry: Registry, id: string, task: string, text: string): Promise<void> {
  registry.append(id, created(id, { task }));
  registry.append(id, { type: "run-started", owner: "1" });
  registry.append(id, textEvent("model/0", text));
  registry.append(id, finished(id));
  await registry.flushed();
}

test("tasks and transcripts are found by words and their beginnings, the latest run first", async () => {
  const { registry, searcher, find } = open();
  await write(
    registry,
    "r-1",
    "Look at the Überfall in src/auth/login.ts",
    "It uses foo_bar. <b>ok</b>",
  );
  await write(registry, "r-2", "write tests", "The login works.");
  expect(await find("login")).toEqual(["r-2 answer", "r-1 task"]);
  expect(await find("uber LOG")).toEqual(["r-1 task"]);
  expect(await find("foo_bar")).toEqual(["r-1 answer"]);
  expect(await find("npm aud")).toEqual(["r-2 call", "r-1 call"]);
  expect(await find("auth/login")).toEqual(["r-1 task"]);
  expect(await find("absent")).toEqual([]);
  const [hit] = (await searcher.search(registry, { text: "works" })).hits;
  expect(hit?.excerpt).toEqual([
    { text: "The login ", isMatch: false },
    { text: "works", isMatch: true },
    { text: ".", isMatch: false },
  ]);
  // What happens between two searches is found by the second.
  await write(registry, "r-3", "login again", "");
  expect(await find("login")).toEqual(["r-3 task", "r-2 answer", "r-1 task"]);
  const { next } = await searcher.search(registry, { text: "login", limit: 2 });
  expect(await find("login", { limit: 2, cursor: next })).toEqual(["r-1 task"]);
});

test("a text is never an operator, whatever it contains", async () => {
  const { registry, searcher, find } = open();
  await write(registry, "r-1", "a AND b", "near");
  for (const text of [
    '"',
    "*",
    "AND",
    "a OR",
    "NOT a",
    "text:",
    "said : a",
    "(",
    "^a",
    "a\0b",
    "-- x",
    "' OR 1",
    "{a b}",
    "...",
  ]) {
    await expect(find(text), text).resolves.toBeInstanceOf(Array);
  }
  expect(await find("OR")).toEqual([]);
  expect(await find("and")).toEqual(["r-1 task"]);
  const search = async (request: { text: string; cursor?: string }) =>
    await searcher.search(registry, request);
  await expect(search({ text: "x ".repeat(17) })).rejects.toMatchObject({
    code: "invalid-argument",
  });
  await expect(search({ text: "x".repeat(1001) })).rejects.toMatchObject({
    code: "invalid-argument",
  });
  await expect(search({ text: "x", cursor: "1; DROP" })).rejects.toMatchObject({
    code: "invalid-argument",
  });
});

test("several processes share one index, deleted runs leave it, and a damaged one is rebuilt", async () => {
  const one = open();
  await write(one.registry, "r-1", "secret plan", "");
  await write(one.registry, "r-2", "other plan", "");
  const other = open(one.folder);
  const found = await Promise.all([one.find("plan"), other.find("plan"), other.find("plan")]);
  for (const ids of found) expect(ids).toEqual(["r-2 task", "r-1 task"]);
  removeFromIndex(join(one.folder, indexName), ["r-1"]);
  expect(await one.find("plan")).toEqual(["r-2 task"]);
  await one.searcher.close();
  await other.searcher.close();
  const path = join(one.folder, indexName);
  for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  writeFileSync(path, "damaged".repeat(1000));
  const again = createSearch(one.folder);
  onTestFinished(async () => await again.close());
  const { hits } = await again.search(one.registry, { text: "other" });
  expect(hits.map(({ run }) => run.id)).toEqual(["r-2"]);
  expect(existsSync(path)).toBe(true);
});

test("a search does not wait for a long journal to be indexed, and says that it is not complete", async () => {
  const { registry, searcher } = open();
  await write(registry, "r-1", "first words", "");
  let isReleased = false;
  const release = Promise.withResolvers<void>();
  const slow = {
    ...registry,
    async eventsAfter(position: string) {
      if (!isReleased) await release.promise;
      return await registry.eventsAfter(position);
    },
  } as Registry;
  expect(await searcher.search(slow, { text: "first" })).toEqual({
    hits: [],
    next: null,
    isComplete: false,
  });
  isReleased = true;
  release.resolve();
  const { hits, isComplete } = await searcher.search(slow, { text: "first" });
  expect([hits.length, isComplete]).toEqual([1, true]);
});
