import { expect, test } from "vitest";
import { createMovePaths } from "./move-paths.ts";

const move = createMovePaths("/home/a.b/app", "/state/1");

test.each([
  ["/home/a.b/app", "/state/1"],
  ["in /home/a.b/app/src/x.ts:3 and '/home/a.b/app'.", "in /state/1/src/x.ts:3 and '/state/1'."],
  ["file:///home/a.b/app/x", "file:///state/1/x"],
  ["It is /home/a.b/app.", "It is /state/1."],
])("%s becomes %s", (text, expected) => {
  expect(move(text)).toBe(expected);
});

test.each([
  "/home/a.b/apple",
  "/home/a.b/app.git",
  "/home/a.b/app-2",
  "x/home/a.b/app",
  "/home/axb/app",
])("%s stays", (text) => expect(move(text)).toBe(text));

test("values are moved at any depth, with the keys of objects", () => {
  const value = { "/home/a.b/app/x": ["/home/a.b/app", 1, null, { y: true }] };
  expect(move(value)).toEqual({ "/state/1/x": ["/state/1", 1, null, { y: true }] });
  expect(move(undefined)).toBeUndefined();
});
