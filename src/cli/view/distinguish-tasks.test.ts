import * as fc from "fast-check";
import { expect, test } from "vitest";
import { distinguishTasks } from "./distinguish-tasks.ts";
import { textWidth } from "../terminal/text-width.ts";

test("tasks that differ at the beginning show it", () => {
  const tasks = ["count the files of the project, and name the largest ten", "name the folders"];
  expect(distinguishTasks(tasks)).toEqual(["count the files of the project,…", "name the folders"]);
});

test("tasks with the same beginning show the word in which they differ", () => {
  const task = (part: string): string => `Review the file src/components/${part}.ts and report it`;
  expect(distinguishTasks([task("part-1"), task("part-2"), "Sum up"])).toEqual([
    "…part-1.ts and report it",
    "…part-2.ts and report it",
    "Sum up",
  ]);
});

test("equal tasks are numbered", () => {
  expect(distinguishTasks(["count", "look", "count"])).toEqual(["#1 count", "look", "#2 count"]);
});

test("no two tasks read the same, and each fits in 32 columns", () => {
  const part = fc.constantFrom("review ", "src/", "漢字", "🙂", "a", "b", "x".repeat(40));
  const task = fc
    .array(part, { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join("").trim());
  fc.assert(
    fc.property(fc.array(task, { maxLength: 30 }), (tasks) => {
      const shown = distinguishTasks(tasks);
      expect(new Set(shown).size).toBe(tasks.length);
      for (const one of shown) {
        expect(textWidth(one)).toBeLessThanOrEqual(32);
        expect(one.isWellFormed()).toBe(true);
      }
    }),
  );
});
