import * as fc from "fast-check";
import { expect, test } from "vitest";
import { scanTemplate } from "./scan-template.ts";

function kinds(template: string): string[] {
  return scanTemplate(template).map(({ kind, inner }) => `${kind}:${inner}`);
}

test("a template is cut into text, expressions, statements and comments", () => {
  expect(kinds("a {{ b }}{% if c -%}{# d #}")).toEqual([
    "text:a ",
    "expression: b ",
    "statement: if c ",
    "comment: d ",
  ]);
});

test("closing braces inside of a string or of brackets end nothing", () => {
  expect(kinds("{{ '}}' }}")).toEqual(["expression: '}}' "]);
  expect(kinds("{{ {'a': {'b': 1}} }}")).toEqual(["expression: {'a': {'b': 1}} "]);
});

test("braces that do not pair up end at the first closing ones", () => {
  expect(kinds("{{a}_{b}} and {{ c }}")).toEqual([
    "expression:a}_{b",
    "text: and ",
    "expression: c ",
  ]);
});

test("what stands between raw marks is text", () => {
  expect(kinds("{% raw %}{{ x }}{% endraw %}")).toEqual([
    "statement: raw ",
    "text:{{ x }}",
    "statement: endraw ",
  ]);
});

test("braces that never close are text", () => {
  expect(kinds("a {{ b")).toEqual(["text:a {{ b"]);
  expect(kinds("{# b")).toEqual(["text:{# b"]);
});

test("the pieces of any template are the template", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "'",
    '"',
    "{",
    "}",
    "raw",
    "\n",
    "x ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const template = pieces.join("");
      const parts = scanTemplate(template);
      expect(parts.map(({ start, end }) => template.slice(start, end)).join("")).toBe(template);
    }),
  );
});
