import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as host from "../../src/host.ts";
import * as library from "../../src/index.ts";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/library.md"), "utf8");

/** The names that a module of `src` exports itself, types included. */
function exportsOf(file: string): string[] {
  const text = readFileSync(join(root, "src", file), "utf8");
  const lists = Array.from(
    text.matchAll(/^export (?:type )?\{([^}]*)\}/gm),
    ([, list = ""]) => list,
  );
  const names = lists.flatMap((list) => list.split(",")).map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map((name) => name.replace(/^type /, "").replace(/^.* as /, ""))
    .toSorted();
}

/** The names that the page lists for an entry point. */
function documented(entry: string): string[] {
  const [, part = ""] = page.slice(page.indexOf("## Entry points")).split(`\n\`${entry}\` is for`);
  const lists = Array.from(
    part.matchAll(/^- [^:\n]*: (.*(?:\n {2}.*)*)/gm),
    ([, list = ""]) => list,
  );
  return lists
    .slice(0, 2)
    .flatMap((list) => Array.from(list.matchAll(/`(\w+)`/g), ([, name = ""]) => name))
    .toSorted();
}

test.each([
  ["cadre", "index.ts"],
  ["cadre/host", "host.ts"],
])("the page about the library lists exactly what %s exports", (entry, file) => {
  expect(documented(entry)).toEqual(exportsOf(file));
});

test("`cadre` stays small, and `cadre/host` has all of it", () => {
  expect(exportsOf("index.ts").length).toBeLessThanOrEqual(75);
  expect(Object.keys(host)).toEqual(expect.arrayContaining(Object.keys(library)));
});

test("the package has these entry points", () => {
  expect(Object.keys(manifest.exports)).toEqual([".", "./host", "./types", "./package.json"]);
});
