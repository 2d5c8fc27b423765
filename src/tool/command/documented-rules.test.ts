import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { concernsCommand, coversCommand } from "./match-command.ts";

const page = readFileSync(new URL("../../../docs/tools.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("### Commands"), page.indexOf("## Questions"));
const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("rules cover exactly the commands that the documentation lists", () => {
  const rows = section.split("\n").filter((line) => line.startsWith("| `Bash("));
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) {
    const [, rule = "", covered = "", uncovered = ""] = row.split("|");
    const pattern = codesIn(rule)[0]?.slice("Bash(".length, -1) ?? "";
    for (const line of codesIn(covered)) expect(coversCommand(pattern, line), line).toBe(true);
    // The text after a colon is the documentation's advice on what to write instead.
    const [without = ""] = uncovered.split(":");
    for (const line of codesIn(without)) expect(coversCommand(pattern, line), line).toBe(false);
  }
  expect(coversCommand("timeout 5 npm test*", "timeout 5 npm test x")).toBe(true);
});

test("a deny rule misses the commands that the documentation lists as missed", () => {
  const list = section.slice(section.indexOf("It does not catch")).split("\n");
  const lines = list.filter((line) => line.startsWith("- ")).flatMap(codesIn);
  expect(lines.length).toBeGreaterThan(7);
  for (const line of lines) expect(concernsCommand("rm *", line), line).toBe(false);
  expect(concernsCommand("rm *", "git commit -m 'rm x'")).toBe(false);
});
