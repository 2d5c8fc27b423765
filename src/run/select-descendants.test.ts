import { expect, test } from "vitest";
import { selectDescendants } from "./select-descendants.ts";

const family = [
  { id: "root", parentId: null },
  { id: "a", parentId: "root" },
  { id: "b", parentId: "root" },
  { id: "a-1", parentId: "a" },
  { id: "b-1", parentId: "b" },
  { id: "a-1-1", parentId: "a-1" },
];

test.each([
  ["root", ["a", "b", "a-1", "b-1", "a-1-1"]],
  ["a", ["a-1", "a-1-1"]],
  ["a-1-1", []],
  ["nobody", []],
])("the descendants of %s are %j, in order of creation", (runId, expected) => {
  expect(selectDescendants(runId, family).map(({ id }) => id)).toEqual(expected);
});
