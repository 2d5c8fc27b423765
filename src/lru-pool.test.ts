import { expect, test } from "vitest";
import { cacheRecent, createLruPool } from "./lru-pool.ts";

test("a full pool drops the idle item that was not used for longest", () => {
  const evicted: string[] = [];
  const pool = createLruPool<string>({
    most: 2,
    isBusy: (item) => item.startsWith("busy"),
    onEvicted: (item) => evicted.push(item),
  });
  pool.enter("a", "one");
  pool.enter("b", "two");
  expect(pool.find("a")).toBe("one");
  expect(pool.enter("c", "busy three")).toBe(true);
  expect(evicted).toEqual(["two"]);
  expect(pool.find("b")).toBeUndefined();
  expect(pool.enter("d", "busy four")).toBe(true);
  expect(pool.enter("e", "five")).toBe(false);
  pool.leave("c");
  expect(pool.enter("e", "five")).toBe(true);
  expect(pool.all()).toEqual(["busy four", "five"]);
});

test("the values of recent keys are made once, undefined ones too", () => {
  const made: string[] = [];
  const find = cacheRecent(2, (key) => {
    made.push(key);
    return key === "a" ? undefined : key;
  });
  expect(["a", "b", "a", "c", "a", "b"].map(find)).toEqual([
    undefined,
    "b",
    undefined,
    "c",
    undefined,
    "b",
  ]);
  expect(made).toEqual(["a", "b", "c", "b"]);
});
