import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import { isChangedSince } from "./is-changed-since.ts";

interface Fixture {
  root: string;
  write(path: string, content?: string): string;
  /** Whether the file changed since `awaitClockTick` was called. */
  isChanged(path: string): boolean;
  /** Waits for the clock of the file system, so that all previous changes are older than the next one. */
  awaitClockTick(): Promise<void>;
}

function createFixture(): Fixture {
  const root = temporaryFolder();
  let since = 0;
  const write = (path: string, content = ""): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  return {
    root,
    write,
    isChanged: (path) => isChangedSince(join(root, path), since, { root, cwd: root }),
    async awaitClockTick() {
      // Creating the file changes the folder too, possibly one tick later.
      write("clock");
      since = Math.floor(statSync(write("clock")).ctimeMs);
      while (Math.floor(statSync(write("clock")).ctimeMs) <= since) await wait(1);
    },
  };
}

/** Existing files and changes to them; the checked file is `a/b/file`. */
const changes: Record<string, [before: readonly string[], change: (fixture: Fixture) => void]> = {
  "it was written": [["a/b/file"], ({ write }) => write("a/b/file", "x")],
  "it appeared": [["a/b/other"], ({ write }) => write("a/b/file")],
  "it is gone": [["a/b/file"], ({ root }) => rmSync(join(root, "a/b/file"))],
  "it was written and given an old date": [
    ["a/b/file"],
    ({ write }) => utimesSync(write("a/b/file", "x"), 1, 1),
  ],
  "an older file was moved there": [
    ["a/b/file", "old"],
    ({ root }) => renameSync(join(root, "old"), join(root, "a/b/file")),
  ],
  "an older file was linked there": [
    ["a/b/other", "old"],
    ({ root }) => linkSync(join(root, "old"), join(root, "a/b/file")),
  ],
  "a symbolic link to an older file was put there": [
    ["a/b/other", "old"],
    ({ root }) => symlinkSync(join(root, "old"), join(root, "a/b/file")),
  ],
  "an older folder was moved there": [
    ["a/x", "old/file"],
    ({ root }) => renameSync(join(root, "old"), join(root, "a/b")),
  ],
  "an older folder was moved there, and looks as if only a file in it had": [
    ["a/x", "old/file"],
    ({ root, write }) => {
      renameSync(join(root, "old"), join(root, "a/b"));
      write("a/b/more");
      write("a/more");
    },
  ],
  "an older folder was moved above it": [
    ["x", "old/b/file"],
    ({ root }) => renameSync(join(root, "old"), join(root, "a")),
  ],
};

describe("a file counts as changed when", () => {
  test.for(Object.keys(changes))("%s", async (name) => {
    const [before = [], change] = changes[name] ?? [];
    const fixture = createFixture();
    for (const path of before) fixture.write(path);
    await fixture.awaitClockTick();
    change?.(fixture);
    expect(fixture.isChanged("a/b/file")).toBe(true);
  });

  test("a link on its path was changed to an older folder", async () => {
    const { root, write, awaitClockTick, isChanged } = createFixture();
    write("one/b/file");
    write("two/b/file");
    symlinkSync("one", join(root, "inner"));
    symlinkSync("inner", join(root, "a"));
    await awaitClockTick();
    expect(isChanged("a/b/file")).toBe(false);
    rmSync(join(root, "inner"));
    symlinkSync("two", join(root, "inner"));
    expect(isChanged("a/b/file")).toBe(true);
  });

  test("its links form a cycle", async () => {
    const { root, awaitClockTick, isChanged } = createFixture();
    symlinkSync("a", join(root, "b"));
    symlinkSync("b", join(root, "a"));
    await awaitClockTick();
    expect(isChanged("a/b/file")).toBe(true);
  });
});

describe("a file does not count as changed when", () => {
  const others: Record<string, (fixture: Fixture) => void> = {
    "nothing happened": () => undefined,
    "a file beside it was written": ({ write }) => write("a/b/other", "x"),
    "a file in a folder above was written": ({ write }) => write("a/other", "x"),
    "files in the project's root were": ({ write }) => write("other", "x"),
  };
  test.for(Object.keys(others))("%s", async (name) => {
    const fixture = createFixture();
    fixture.write("a/b/file");
    await fixture.awaitClockTick();
    others[name]?.(fixture);
    expect(fixture.isChanged("a/b/file")).toBe(false);
  });

  test("it is outside the project, where agents cannot write, and only folders changed", async () => {
    const { root, write } = createFixture();
    const file = write("home/agents/file");
    const since = Math.floor(statSync(file).ctimeMs);
    while (Math.floor(statSync(write("home/x/other")).ctimeMs) <= since) await wait(1);
    write("home/agents/other");
    const project = join(root, "project");
    expect(isChangedSince(file, since, { root: project, cwd: project })).toBe(false);
  });
});
