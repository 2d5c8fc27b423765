import { expect, test } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

test("a misspelled name finds the nearest one", () => {
  expect(nearest("Grpe", ["Glob", "Grep", "Read"])).toBe("Grep");
  expect(nearest("max_turn", ["maxTurns", "max_turns"])).toBe("max_turns");
  expect(nearest("read", ["Bash", "Read"])).toBe("Read");
});

test("a name without a similar one finds nothing", () => {
  expect(nearest("kubernetes", ["Grep", "Read"])).toBeNull();
  expect(nearest("x", [])).toBeNull();
  expect(nearest("c", ["a", "b"])).toBeNull();
  expect(nearest("A", ["b", "a"])).toBe("a");
  expect(didYouMean("kubernetes", ["Grep"])).toBe("");
});

test("a longer or shorter form of a name is suggested too", () => {
  expect(didYouMean("timeoutSeconds", ["prompt", "timeout"])).toBe(" Did you mean `timeout`?");
  expect(didYouMean("plan", ["coder", "planner-for-large-tasks"])).toContain("`planner-for");
  expect(didYouMean("a", ["agents"])).toBe("");
});
