import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as host from "../../src/host.ts";
import * as library from "../../src/index.ts";
import manifest from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/library.md"), "utf8");

/** Returns the names that a module of `src` itself exports, including types. */
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

test("`cadre` stays small, and `cadre/host` has all of it", () => {
  expect(exportsOf("index.ts").length).toBeLessThanOrEqual(45);
  expect(Object.keys(host)).toEqual(expect.arrayContaining(Object.keys(library)));
});

test("the page about the library names every entry point and its reference", () => {
  const names = Object.keys(manifest.exports).filter((name) => name !== "./package.json");
  for (const name of names.map((key) => join("cadre", key))) {
    expect(page).toContain(`| \`${name}\` |`);
    expect(page).toContain(`](api/${name.replace("cadre/", "").replaceAll("/", "-")}.md)`);
  }
});
