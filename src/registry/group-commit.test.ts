import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";

/** A commit that notes what is written; `failures` are thrown first, one a write. */
function setUp(failures: Error[] = []): { commits: GroupCommit<number>; written: number[][] } {
  const written: number[][] = [];
  const commits = createGroupCommit<number>({
    write(items) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      written.push([...items]);
    },
    onWritten: () => undefined,
    isPassing: (error) => error instanceof Error && error.message === "busy",
    toError: (error) => error as Error,
  });
  return { commits, written };
}

test("everything of one turn of the event loop is written at once, in order", async () => {
  const { commits, written } = setUp();
  for (let item = 0; item < 1000; item += 1) commits.add(item);
  await commits.flushed();
  expect(written).toEqual([Array.from({ length: 1000 }, (_, index) => index)]);
  commits.add(1000);
  await commits.flushed();
  expect(written).toHaveLength(2);
});

test("nothing to write is durable at once", async () => {
  await expect(setUp().commits.flushed()).resolves.toBeUndefined();
});

test("a failure rejects all who wait, and is final", async () => {
  const { commits, written } = setUp([new Error("full")]);
  commits.add(1);
  const first = commits.flushed();
  commits.add(2);
  const second = commits.flushed();
  await expect(first).rejects.toThrow("full");
  await expect(second).rejects.toThrow("full");
  expect(() => commits.add(3)).toThrow("full");
  await expect(commits.flushed()).rejects.toThrow("full");
  await nextTurn();
  expect(written).toEqual([]);
});

test("a failure from elsewhere counts like one of a write, and the first one stands", async () => {
  const { commits, written } = setUp();
  commits.add(1);
  const flushed = commits.flushed();
  commits.fail(new Error("gone"));
  commits.fail(new Error("later"));
  await expect(flushed).rejects.toThrow("gone");
  expect(() => commits.add(2)).toThrow("gone");
  await nextTurn();
  expect(written).toEqual([]);
});

test("a locked database is tried again, with what came meanwhile", async () => {
  const { commits, written } = setUp([new Error("busy"), new Error("busy")]);
  commits.add(1);
  await nextTurn();
  commits.add(2);
  await commits.flushed();
  expect(written).toEqual([[1, 2]]);
});

test("a failure nobody waits for does not end the process", async () => {
  const { commits } = setUp([new Error("full")]);
  commits.add(1);
  await nextTurn();
  expect(commits.failed.reason).toEqual(new Error("full"));
});
