import { expect, test } from "vitest";
import { findImports } from "./find-imports.ts";

function pathsIn(text: string): string[] {
  return findImports(text).map(({ path }) => path);
}

test.each<[string, string[]]>([
  ["See @README and @package.json, then @docs/a.md.", ["README", "package.json", "docs/a.md"]],
  ["@./b.md\n- @~/.claude/mine.md", ["./b.md", "~/.claude/mine.md"]],
  ["(@a.md) a@b.org me@example.com", []],
  ["@docs/with\\ space.md and @docs/a.md#part", ["docs/with space.md", "docs/a.md"]],
  ["@a.md and again @a.md", ["a.md"]],
])("in %j the imports are %j", (text, paths) => {
  expect(pathsIn(text)).toEqual(paths);
});

test("code spans and code blocks contain no imports", () => {
  const text = [
    "Use `@types/node` and ``@a `b` @c``, not @d.md.",
    "```ts",
    "@Component()",
    "~~~",
    "```",
    "@e.md",
    "  ~~~~",
    "@f.md",
    "~~~",
    "~~~~",
    "@g.md",
  ].join("\n");
  expect(pathsIn(text)).toEqual(["d.md", "e.md", "g.md"]);
});

test("names that need not be paths are distinguished", () => {
  const sure = findImports("@types/node @you @a.md @./you @../x @/etc/x @~/x @b.TXT")
    .filter(({ isPath }) => isPath)
    .map(({ path }) => path);
  expect(sure).toEqual(["a.md", "./you", "../x", "/etc/x", "~/x", "b.TXT"]);
});
