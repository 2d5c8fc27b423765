import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textWidth } from "./text-width.ts";
import { wrapLine, wrapProse } from "./wrap-prose.ts";

test("prose is wrapped between words; a word longer than a line stays whole", () => {
  expect(wrapProse(["You review code for people."], 20)).toEqual([
    "You review code for",
    "people.",
  ]);
  expect(wrapProse([`see ${"x".repeat(25)}`], 20)).toEqual(["see", "x".repeat(25)]);
  expect(wrapProse([""], 20)).toEqual([""]);
});

test("the lines of an item stand under its text", () => {
  expect(wrapProse(["- read the whole file first", "12. then write the report"], 20)).toEqual([
    "- read the whole",
    "  file first",
    "12. then write the",
    "    report",
  ]);
});

test("a paragraph and an item that were wrapped at more columns are wrapped anew", () => {
  const text = [
    "You are the main agent.",
    "",
    "Delegate what is separate, and",
    "do the rest yourself at once.",
    "- Read the whole file before you",
    "  change one of its lines.",
    "- Test it.",
  ];
  expect(wrapProse(text, 24)).toEqual([
    "You are the main agent.",
    "",
    "Delegate what is",
    "separate, and do the",
    "rest yourself at once.",
    "- Read the whole file",
    "  before you change one",
    "  of its lines.",
    "- Test it.",
  ]);
  expect(wrapProse(text, 40)).toEqual(text);
});

test.each([
  [
    "items",
    ["- one item of several words", "- two"],
    ["- one item of", "  several words", "- two"],
  ],
  [
    "lines that end early",
    ["name: a", "task: one of several words"],
    ["name: a", "task: one of", "several words"],
  ],
  [
    "names, one a line",
    ["src/one-long-name.ts", "src/two-long-name.ts"],
    ["src/one-long-name.ts", "src/two-long-name.ts"],
  ],
  ["hard breaks", ["a line that ends here  ", "b"], ["a line that", "ends here", "b"]],
  ["headings", ["# A title of many words", "text"], ["# A title of", "many words", "text"]],
  ["quotes", ["> one line of a quote", "text"], ["> one line of a", "quote", "text"]],
  ["rules", ["a title of many words", "-----"], ["a title of many", "words", "-----"]],
])("%s are not joined with the line before", (_, text, wrapped) => {
  expect(wrapProse(text, 15)).toEqual(wrapped);
});

test("lines of more columns than people wrap at are paragraphs of their own", () => {
  const line = "word ".repeat(40).trim();
  expect(wrapProse([line, line], 100)).toHaveLength(4);
});

test("an indented line of an item keeps its indentation", () => {
  expect(wrapProse(["- read it", "  and then write the report"], 20)).toEqual([
    "- read it",
    "  and then write the",
    "  report",
  ]);
});

test("fenced code, lines indented as code, tables and JSON stay as they are", () => {
  const long = "const a = 1; const b = 2; const c = 3;";
  const kept = [
    "````ts",
    long,
    "```",
    long,
    "````",
    `    ${long}`,
    `| ${long} |`,
    `{ "code": "${long}" }`,
  ];
  expect(wrapProse(kept, 20)).toEqual(kept);
  expect(wrapProse([...kept, long], 20).length).toBeGreaterThan(kept.length + 1);
});

test("no word is lost, and no line is too long", () => {
  const words = fc.array(fc.constantFrom("a", "漢字", "word", "-", "longer-words"), {
    minLength: 1,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 24, max: 60 }), (parts, columns) => {
      const line = `x ${parts.join(" ")}`.trimEnd();
      const wrapped = wrapProse([line], columns);
      expect(wrapped.join(" ").trimEnd().split(/\s+/)).toEqual(line.split(/\s+/));
      for (const one of wrapped) expect(textWidth(one)).toBeLessThanOrEqual(columns);
      const narrower = wrapProse(wrapProse([line], columns), columns / 2);
      expect(narrower.join(" ").trimEnd().split(/\s+/)).toEqual(line.split(/\s+/));
    }),
  );
});

test("a line of a message keeps its indentation", () => {
  expect(wrapLine("  - one item of two", 12)).toEqual(["  - one item", "    of two"]);
  expect(wrapLine(`  ${"x".repeat(20)} y`, 12)).toEqual([`  ${"x".repeat(20)}`, "  y"]);
});

test("output that is not for a terminal is not wrapped", () => {
  const line = "word ".repeat(100);
  expect(wrapProse([line], Infinity)).toEqual([line]);
});
