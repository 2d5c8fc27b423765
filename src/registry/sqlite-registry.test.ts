import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { created, createSpec, finished } from "../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import type { RunEventBody } from "../run/event.ts";
import { openRegistry } from "./sqlite-registry.ts";
import type { Registry } from "./registry.ts";

function newPath(): string {
  return join(temporaryFolder(), "state", "cadre.db");
}

function open(path: string = newPath()): Registry {
  const registry = openRegistry({ path });
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

const started: RunEventBody = { type: "run-started", owner: "1" };
const note = (value: string): RunEventBody => ({
  type: "step-finished",
  key: `note/${value}`,
  kind: "note",
  value,
  durationMs: 0,
});

/** A family of a root and two children, the first ended. */
async function writeFamily(registry: Registry, root: string): Promise<void> {
  registry.append(root, created(root));
  registry.append(root, started);
  for (const name of ["b", "a"]) {
    const id = `${root}-${name}`;
    registry.append(id, created(id, { rootId: root, parentId: root, parentStep: name, depth: 1 }));
  }
  registry.append(`${root}-b`, finished(`${root}-b`));
  await registry.flushed();
}

describe("the journal", () => {
  test("gives back what was appended, in order and numbered without gaps", async () => {
    const registry = open();
    registry.append("r", created("r"));
    registry.append("r", started);
    for (let index = 0; index < 100; index += 1) registry.append("r", note(`${index}`));
    await registry.flushed();
    const events = await registry.events("r");
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 102 }, (_, at) => at + 1));
    expect(events.at(-1)).toMatchObject({ type: "step-finished", value: "99", runId: "r" });
    expect(await registry.events("r", 100)).toHaveLength(2);
    expect(await registry.spec("r")).toEqual(createSpec("r"));
  });

  test("is readable by others as soon as flushed says so, and not told to listeners before", async () => {
    const path = newPath();
    const registry = open(path);
    const heard: string[] = [];
    registry.subscribe((event) => void heard.push(event.type));
    registry.append("r", created("r"));
    expect(heard).toEqual([]);
    await registry.flushed();
    expect(heard).toEqual(["run-created"]);
    const other = new DatabaseSync(path, { readOnly: true });
    expect(other.prepare("SELECT type FROM events").all()).toEqual([{ type: "run-created" }]);
    other.close();
  });

  test("is written through to the disk before it counts", () => {
    const path = newPath();
    open(path);
    const other = new DatabaseSync(path);
    expect(other.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    other.close();
    const source = readFileSync(join(import.meta.dirname, "open-database.ts"), "utf8");
    expect(source).toContain("synchronous = FULL");
  });

  test("refuses an event of a run it does not own, and one that cannot follow", async () => {
    const registry = open();
    expect(() => registry.append("r", started)).toThrow(/does not own the run r/);
    registry.append("r", created("r"));
    registry.append("r", finished("r"));
    expect(() => registry.append("r", finished("r"))).toThrow(/A run ends exactly once/);
    await registry.flushed();
    expect(() => registry.append("r", finished("r"))).toThrow(/does not own the run r/);
    expect(await registry.events("r")).toHaveLength(2);
  });

  test("brings a run up to date whose row is older than its last events", async () => {
    const path = newPath();
    const registry = open(path);
    registry.append("r", created("r"));
    registry.append("r", started);
    await registry.flushed();
    registry.append("r", {
      type: "step-started",
      key: "k",
      title: "Read a.txt",
      hasEffect: false,
    });
    await registry.flushed();
    const [seen] = await open(path).runs();
    expect(seen).toMatchObject({ status: "running", activity: "Read a.txt", lastSeq: 3 });
  });

  test("keeps a definition once, whoever gives it", async () => {
    const registry = open();
    const hash = registry.putDefinition({ name: "a" });
    expect(registry.putDefinition({ name: "a" })).toBe(hash);
    registry.append("r", created("r"));
    await registry.flushed();
    expect(await registry.definition(hash)).toEqual({ name: "a" });
    expect(await registry.definition("other")).toBeUndefined();
  });
});

describe("looking at runs", () => {
  test("filters by status, agent and root, newest first", async () => {
    const registry = open();
    await writeFamily(registry, "one");
    registry.append("two", created("two", { agent: "other" }));
    await registry.flushed();
    const ids = async (filter: Parameters<Registry["runs"]>[0]): Promise<string[]> =>
      (await registry.runs(filter)).map(({ id }) => id).toSorted();
    expect(await ids({})).toHaveLength(4);
    expect(await ids({ rootsOnly: true })).toEqual(["one", "two"]);
    expect(await ids({ agent: "other" })).toEqual(["two"]);
    expect(await ids({ status: ["succeeded"] })).toEqual(["one-b"]);
    expect(await ids({ limit: 1 })).toHaveLength(1);
  });

  test("lists a family in the order of its making, even when the clock is set back", async () => {
    let now = 1_000_000;
    const idle = (): (() => void) => () => undefined;
    const clock = { now: () => now, monotonic: () => now, schedule: idle, scheduleIdly: idle };
    const registry = openRegistry({ path: newPath(), clock });
    onTestFinished(() => registry.close());
    registry.append("z", created("z"));
    now -= 60_000;
    registry.append("a", created("a", { rootId: "z", parentId: "z", parentStep: "s" }));
    await registry.flushed();
    expect((await registry.family("z")).map(({ id }) => id)).toEqual(["z", "a"]);
  });

  test("finds a run by a part of its id, and takes wildcards literally", async () => {
    const registry = open();
    registry.append("abc-1_2", created("abc-1_2"));
    registry.append("abc-1x2", created("abc-1x2"));
    await registry.flushed();
    const found = async (part: string): Promise<string[]> =>
      (await registry.findRuns(part)).map(({ id }) => id);
    expect(await found("1_2")).toEqual(["abc-1_2"]);
    expect(await found("abc")).toHaveLength(2);
    expect(await found("%")).toEqual([]);
  });

  test("finds the child that a step created", async () => {
    const registry = open();
    await writeFamily(registry, "r");
    expect((await registry.childOf("r", "b"))?.id).toBe("r-b");
    expect(await registry.childOf("r", "c")).toBeUndefined();
  });
});

describe("pruning", () => {
  test("forgets families that ended, and keeps those with an unfinished run", async () => {
    const registry = open();
    await writeFamily(registry, "unfinished");
    registry.append("unfinished", finished("unfinished"));
    registry.append("ended", created("ended"));
    registry.append("ended", finished("ended"));
    await registry.flushed();
    expect((await registry.prune(Date.now() + 1)).runIds).toEqual(["ended"]);
    expect(await registry.events("ended")).toEqual([]);
    expect(await registry.family("unfinished")).toHaveLength(3);
    expect((await registry.prune(0)).runIds).toEqual([]);
  });
});

describe("the folder of the registry", () => {
  test("is made with a .gitignore of its own, and a file in its place is said", () => {
    const path = newPath();
    open(path);
    expect(readFileSync(join(dirname(path), ".gitignore"), "utf8")).toBe("*\n");
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => openRegistry({ path: join(file, "cadre.db") })).toThrow(
      /cannot be opened or written.*CADRE_STATE_DIR/,
    );
  });
});

describe("a closed registry", () => {
  test("refuses everything with a code of its own", async () => {
    const registry = open();
    await writeFamily(registry, "r");
    await registry.close();
    await registry.close();
    const closed = expect.objectContaining({ code: "closed" }) as Error;
    expect(() => registry.append("r", finished("r"))).toThrow(closed);
    await expect(registry.runs()).rejects.toEqual(closed);
    await expect(registry.claim("r")).rejects.toEqual(closed);
    await expect(registry.changed(new AbortController().signal)).rejects.toEqual(closed);
  });

  test("wakes those who wait for a change", async () => {
    const registry = open();
    const changed = registry.changed(new AbortController().signal);
    await registry.close();
    await expect(changed).resolves.toBeUndefined();
  });
});
