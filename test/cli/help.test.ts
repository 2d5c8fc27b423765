import { expect, test } from "vitest";
import { cadre, createProject } from "./command-line.ts";

test("help lists the commands by purpose, each on one line of 80 columns", async () => {
  const { stdout, code } = await cadre(createProject(), ["--help"]);
  expect(code).toBe(0);
  const headings = stdout.split("\n").filter((line) => /^[A-Z].*:$/.test(line));
  expect(headings).toEqual([
    "Options:",
    "Start work:",
    "Watch:",
    "Steer:",
    "Changes in worktrees:",
    "Agents and recipes:",
    "Servers:",
    "Settings and storage:",
    "Examples:",
  ]);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(stdout.match(/^ {3,}\S/gm)).toBeNull();
});
