import { expect, test } from "vitest";
import { createReadingQueue } from "./reading-queue.ts";

test("work is done for one key at a time, first for that most wait for, and shared by all who wait", async () => {
  const done: string[] = [];
  let active = 0;
  const { take } = createReadingQueue(async (key) => {
    active += 1;
    expect(active).toBe(1);
    await Promise.resolve();
    done.push(key);
    active -= 1;
    if (key === "wrong") throw new Error("refused");
    return key.toUpperCase();
  });
  const first = take("first");
  const others = [
    take("behind"),
    take("many", { weight: 200 }),
    take("two"),
    take("two"),
    take("tail", { weight: 2, isFirst: true }),
  ];
  const wrong = take("wrong").catch((error: unknown) => error);
  expect(await first).toBe("FIRST");
  expect(await Promise.all(others)).toEqual(["BEHIND", "MANY", "TWO", "TWO", "TAIL"]);
  expect(await wrong).toMatchObject({ message: "refused" });
  expect(done).toEqual(["first", "tail", "many", "two", "behind", "wrong"]);
  // No result is kept.
  expect(await take("two")).toBe("TWO");
  expect(done).toHaveLength(7);
});

test("what callers do with a result is part of its turn, after which the thread rests while many wait", async () => {
  const { take } = createReadingQueue(async (key) => await Promise.resolve(key));
  const [factor, busyMs] = [4, 20];
  const begun = performance.now();
  const many = Array.from({ length: 10 }, async () => await take("one"));
  const busySince = process.threadCpuUsage();
  const work = async (): Promise<void> => {
    await many[0];
    while (process.threadCpuUsage(busySince).user < busyMs * 1000);
  };
  void work();
  await Promise.all(many);
  await take("two");
  expect(performance.now() - begun).toBeGreaterThan(busyMs * factor);
});

test("who comes first does not wait for the end of a pause", async () => {
  const { take } = createReadingQueue(async (key) => await Promise.resolve(key));
  const order: string[] = [];
  const note = async (key: string, isFirst: boolean): Promise<void> => {
    order.push(await take(key, { weight: 10, isFirst }));
  };
  await note("one", false);
  await Promise.all([note("behind", false), note("tail", true)]);
  expect(order).toEqual(["one", "tail", "behind"]);
});
