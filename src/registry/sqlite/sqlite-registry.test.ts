import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { created } from "../../../test/fixtures/run-spec.ts";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { RunEventBody } from "../../run/event.ts";
import { openRegistry } from "./sqlite-registry.ts";
import type { Registry } from "../registry.ts";

function newPath(): string {
  return join(temporaryFolder(), "state", "cadre.db");
}

function open(path: string = newPath()): Registry {
  const registry = openRegistry({ path });
  onTestFinished(() => registry.close().catch(() => undefined));
  return registry;
}

const started: RunEventBody = { type: "run-started", owner: "1" };
describe("the journal", () => {
  test("is readable by others, and announced to listeners, once flushed resolves", async () => {
    const path = newPath();
    const registry = open(path);
    const received: string[] = [];
    registry.subscribe((event) => void received.push(event.type));
    registry.append("r", created("r"));
    expect(received).toEqual([]);
    await registry.flushed();
    expect(received).toEqual(["run-created"]);
    const other = new DatabaseSync(path, { readOnly: true });
    expect(other.prepare("SELECT type FROM events").all()).toEqual([{ type: "run-created" }]);
    other.close();
  });

  test("is synchronised to the disk at each commit", () => {
    const path = newPath();
    open(path);
    const other = new DatabaseSync(path);
    expect(other.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    other.close();
    const source = readFileSync(join(import.meta.dirname, "open-database.ts"), "utf8");
    expect(source).toContain("synchronous = FULL");
  });

  test("brings a run up to date when its row is older than its last events", async () => {
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
});

describe("reading runs", () => {
  test("lists a family in order of creation, even when the clock is set back", async () => {
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
});

describe("the folder of the registry", () => {
  test("is created with a .gitignore, and a file in its place is an error", () => {
    const path = newPath();
    open(path);
    expect(readFileSync(join(dirname(path), ".gitignore"), "utf8")).toBe("*\n");
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => openRegistry({ path: join(file, "cadre.db") })).toThrow(
      /a folder for runs that exists or can be created; got .*file.*CADRE_STATE_DIR/,
    );
  });
});
