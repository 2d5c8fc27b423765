import { expect, test } from "vitest";
import { omitUndefined } from "./omit-undefined.ts";

test("leaves out what is undefined, and keeps null, zero and empty text", () => {
  const values = { model: undefined, effort: null, turns: 0, title: "" };
  expect(Object.keys(omitUndefined(values))).toEqual(["effort", "turns", "title"]);
});
