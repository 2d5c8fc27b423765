import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldsCases } from "../goose/fields-cases.ts";
import { namesCases } from "../goose/names-cases.ts";
import { parametersCases } from "../goose/parameters-cases.ts";
import { runCases } from "../goose/run-cases.ts";
import { templatesCases } from "../goose/templates-cases.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/compatibility.md"), "utf8");

/** Returns the number of all cases and of equal cases in the row that names `file`. */
function countsOf(file: string): number[] {
  const row = page.split("\n").find((line) => line.includes(`\`${file}\` |`)) ?? "";
  return row.split(" | ").slice(1, 3).map(Number);
}

test("the page counts the recipes that goose and Cadre fill and run", () => {
  const filled = [...parametersCases, ...namesCases, ...templatesCases, ...fieldsCases];
  const alike = filled.filter(({ cadre }) => cadre === undefined);
  expect(countsOf("test/goose/render.test.ts")).toEqual([filled.length, alike.length]);
  const same = runCases.filter(({ cadre }) => cadre === undefined);
  expect(countsOf("test/goose/run.test.ts")).toEqual([runCases.length, same.length]);
});

test("the page counts AIPack's expectations, as their own test does", () => {
  const source = readFileSync(join(import.meta.dirname, "../aipack/aipack.test.ts"), "utf8");
  const [, all = "", differences = ""] =
    /expectations: (\d+),\s+differences: (\d+)/.exec(source) ?? [];
  expect(countsOf("test/aipack/aipack.test.ts")).toEqual([
    Number(all),
    Number(all) - Number(differences),
  ]);
});
