import { expect, test } from "vitest";
import { describeRange, describeValue, toFlag, toNumber } from "./read-value.ts";

test("a number within its range is read, also from text", () => {
  expect(toNumber(5, { min: 1, max: 5 })).toBe(5);
  expect(toNumber(" 1.5 ", { min: 1 })).toBe(1.5);
  for (const value of [0.9, 5.1, "1e3", "", "five", true, null, [2], undefined]) {
    expect(toNumber(value, { min: 1, max: 5 })).toBeUndefined();
  }
  expect(toNumber(1.5, { min: 1, isWhole: true })).toBeUndefined();
  expect(describeRange({ min: 1, max: 5, isWhole: true })).toBe("a whole number from 1 to 5");
  expect(describeRange({ min: 0 })).toBe("a number of at least 0");
});

test("a flag is true or false, also as text", () => {
  expect([true, "true", false, "false"].map(toFlag)).toEqual([true, true, false, false]);
  expect(["yes", 1, null, undefined].map(toFlag)).toEqual(Array(4).fill(undefined));
});

test("a value is described in a few words, and a list by its first item that is not text", () => {
  expect(describeValue("a\n b")).toBe("`a b`");
  expect(describeValue("x".repeat(61))).toBe(`\`${"x".repeat(57)}…\``);
  expect([{ a: 1 }, null, undefined, 5].map(describeValue)).toEqual([
    "a map",
    "nothing",
    "nothing",
    "`5`",
  ]);
  expect(describeValue(["a", "b"])).toBe("a list of 2");
  expect(describeValue(["a", { b: 1 }])).toBe("a list of 2, of which number 2 is a map");
  expect(describeValue([null])).toBe("a list of 1, of which number 1 is null");
});
