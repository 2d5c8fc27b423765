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
  const others = [take("behind"), take("tail", 200), take("two"), take("two")];
  const wrong = take("wrong").catch((error: unknown) => error);
  expect(await first).toBe("FIRST");
  expect(await Promise.all(others)).toEqual(["BEHIND", "TAIL", "TWO", "TWO"]);
  expect(await wrong).toMatchObject({ message: "refused" });
  expect(done).toEqual(["first", "tail", "two", "behind", "wrong"]);
  // Nothing is remembered.
  expect(await take("two")).toBe("TWO");
  expect(done).toHaveLength(6);
});
