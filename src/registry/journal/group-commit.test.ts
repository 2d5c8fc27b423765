import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";

/** Creates a commit that records its writes; it throws each of `failures` first, one per write. */
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

test("all items of one turn of the event loop are written in one commit, in order", async () => {
  const { commits, written } = setUp();
  for (let item = 0; item < 1000; item += 1) commits.add(item);
  await commits.flushed();
  expect(written).toEqual([Array.from({ length: 1000 }, (_, index) => index)]);
  commits.add(1000);
  await commits.flushed();
  expect(written).toHaveLength(2);
});

test("flushed resolves at once when there is nothing to write", async () => {
  await expect(setUp().commits.flushed()).resolves.toBeUndefined();
});

test("a failed write rejects all waiting callers, and is final", async () => {
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

test("a failure reported from outside acts like a failed write, and the first failure is kept", async () => {
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

test("a write to a locked database is retried before the items added in the meantime", async () => {
  const { commits, written } = setUp([new Error("busy"), new Error("busy")]);
  commits.add(1);
  await nextTurn();
  commits.add(2);
  await commits.flushed();
  expect(written).toEqual([[1], [2]]);
});

test("a slow write is awaited, and items added in the meantime are written after it", async () => {
  const writes: { items: number[]; end: () => void; refuse: (error: Error) => void }[] = [];
  const commits = createGroupCommit<number>({
    write: (items) =>
      new Promise<void>((end, refuse) => void writes.push({ items: [...items], end, refuse })),
    onWritten: () => undefined,
    isPassing: () => false,
    toError: (error) => error as Error,
  });
  commits.add(1);
  await nextTurn();
  const first = commits.flushed();
  commits.add(2);
  commits.add(3);
  const second = commits.flushed();
  await nextTurn();
  expect(writes.map(({ items }) => items)).toEqual([[1]]);
  writes[0]?.end();
  await first;
  await nextTurn();
  expect(writes.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  writes[1]?.refuse(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  expect(() => commits.add(4)).toThrow("gone");
});

test("a failure that no caller waits for does not end the process", async () => {
  const { commits } = setUp([new Error("full")]);
  commits.add(1);
  await nextTurn();
  expect(commits.failed.reason).toEqual(new Error("full"));
});
