import { expect, test } from "vitest";
import { createGlobTest } from "./glob.ts";

test.each([
  ["src/**/*.rs", "src/a/b.rs", true],
  ["src/**/*.rs", "src/b.rs", true],
  ["**/*.md", "README.md", true],
  ["*.md", "docs/a.md", false],
  ["docs/**", "docs/a/b", true],
  ["docs/**", "docs", false],
  ["a?c/[x-z]*.{ts,js}", "abc/y1.js", true],
  ["a?c/[!x-z]*.ts", "abc/y.ts", false],
  ["{a,b/{c,d}}/*", "b/d/e", true],
  ["src/{*.rs}", "src/b.rs", true],
  ["{a}", "{a}", false],
  ["a{b", "a{b", true],
  ["a\\*b", "a*b", true],
  ["./src/*", "src/x", true],
  ["**/a/**/b", "x/a/y/a/z/b", true],
  ["", "", true],
])("%s against %s", (glob, path, expected) => {
  expect(createGlobTest([glob])(path)).toBe(expected);
});

test("patterns with ! exclude, and an empty list matches nothing", () => {
  const isMatch = createGlobTest(["**/*.ts", "!**/*.test.ts"]);
  expect([isMatch("a.ts"), isMatch("b/a.test.ts")]).toEqual([true, false]);
  expect(createGlobTest([])("a")).toBe(false);
});

test("an adversarial pattern is fast, and one with too many alternatives is refused", () => {
  const name = "a".repeat(250);
  expect(createGlobTest([`${"*a".repeat(100)}*b`])(name)).toBe(false);
  expect(createGlobTest([`${"**/a/".repeat(100)}b`])(`${"a/".repeat(1000)}c`)).toBe(false);
  expect(() => createGlobTest(["{a,b}".repeat(20)])).toThrow(/alternatives/);
  expect(() => createGlobTest(["x".repeat(3000)])).toThrow(/at most 2000 characters/);
});
