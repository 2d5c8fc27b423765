import * as fc from "fast-check";
import { expect, test } from "vitest";
import { distinguishTasks } from "./distinguish-tasks.ts";
import { textWidth } from "../terminal/text-width.ts";

const x40 = "x".repeat(40);
/** Two tasks with a shared beginning, and two others, that read the same after this beginning is left out. */
const collision = [
  `review b${x40}${x40}review`,
  `${x40}review`,
  `review b${x40}review`,
  `${x40}🙂`,
];

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

test("tasks that read the same only where they were shortened are numbered", () => {
  const long = (start: string): string => `${start}${"x".repeat(100)}review`;
  const shown = distinguishTasks(["a", "b"].flatMap((end) => [long("") + end, long("src/") + end]));
  expect(new Set(shown).size).toBe(4);
  expect(distinguishTasks(["#1 count", "count", "count"])).toEqual([
    "#1 #1 count",
    "#2 #1 count",
    "#2 count",
  ]);
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
    { examples: [[collision]] },
  );
});
