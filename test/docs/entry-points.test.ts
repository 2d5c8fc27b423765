import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as host from "../../src/host.ts";
import * as library from "../../src/index.ts";
import { libraryNames } from "./exported-names.ts";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/library.md"), "utf8");

test("`cadre` stays small, and `cadre/host` has all of it", () => {
  expect(libraryNames.length).toBeLessThanOrEqual(45);
  expect(Object.keys(host)).toEqual(expect.arrayContaining(Object.keys(library)));
});

test("the page about the library says what every name of `cadre` is for, and links to its reference", () => {
  const reference = readFileSync(join(root, "docs/api/cadre.md"), "utf8");
  for (const name of libraryNames) {
    expect(page).toContain(`[\`${name}\`](api/cadre.md#${name.toLowerCase()})`);
    expect(reference).toContain(`\n### ${name}\n`);
  }
});

test("the page about the library names every entry point and its reference", () => {
  const names = Object.keys(manifest.exports).filter((name) => name !== "./package.json");
  for (const name of names.map((key) => join("cadre", key))) {
    expect(page).toContain(`| \`${name}\` |`);
    expect(page).toContain(`](api/${name.replace("cadre/", "").replaceAll("/", "-")}.md)`);
  }
});
