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

test("closing braces inside a string or brackets do not end an expression", () => {
  expect(kinds("{{ '}}' }}")).toEqual(["expression: '}}' "]);
  expect(kinds("{{ {'a': {'b': 1}} }}")).toEqual(["expression: {'a': {'b': 1}} "]);
});

test("unbalanced braces end at the first closing ones", () => {
  expect(kinds("{{a}_{b}} and {{ c }}")).toEqual([
    "expression:a}_{b",
    "text: and ",
    "expression: c ",
  ]);
});

test("content between raw marks is text", () => {
  expect(kinds("{% raw %}{{ x }}{% endraw %}")).toEqual([
    "statement: raw ",
    "text:{{ x }}",
    "statement: endraw ",
  ]);
});

test("unclosed braces are text", () => {
  expect(kinds("a {{ b")).toEqual(["text:a {{ b"]);
  expect(kinds("{# b")).toEqual(["text:{# b"]);
});

test("the pieces of any template join to the template", () => {
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
