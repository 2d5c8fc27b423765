import { expect, test } from "vitest";
import { findReferences } from "./template-names.ts";

function names(template: string): string[] {
  return [...new Set(findReferences(template).names.map(({ name }) => name))];
}

test.each([
  ["{{ a }} {{ b.c }} {{ d['e'] }}", ["a", "b", "d"]],
  ["{{ a | default('x') | indent(width=4) }}", ["a"]],
  ["{{ a if b is defined and c is not none else d }}", ["a", "b", "c", "d"]],
  ["{{ range(n) }} {{ 'text' ~ true }}", ["n"]],
  ["{{ range }} {{ namespace }} {{ dict | length }}", ["range", "namespace", "dict"]],
  ["{{ debug() }}", ["debug"]],
  ["{{ and }} {{ if }} {{ with }} {{ context }}", ["and", "if", "with", "context"]],
  ["{{ in in or and not in not in is }}", ["in", "or", "is"]],
  [
    "{% if in == 'x' and not with %}{% elif else is not defined %}{% endif %}",
    ["in", "with", "else"],
  ],
  ["{% for in in range if if > 1 %}{{ in }}{% endfor %}", ["range", "if"]],
  ["{% include 'a' ignore missing with context %}{{ missing }}", ["missing"]],
  ["{% from 'n' import in as as, with with context %}{{ as }}{{ with }}{{ context }}", ["context"]],
  ["{{ loop }}{% for a in b %}{{ loop.index }}{% endfor %}", ["loop", "b"]],
  ["{{ a is divisibleby b }}", ["a", "b"]],
  [
    "{% for x, y in pairs if x > least %}{{ x }}{{ loop.index }}{% endfor %}{{ x }}",
    ["pairs", "least", "x"],
  ],
  ["{% set v = a %}{{ v }}", ["a"]],
  ["{% set v %}{{ a }}{% endset %}{{ v }}", ["a"]],
  ["{% macro m(p, q=a) %}{{ p }}{{ q }}{% endmacro %}{{ m(b) }}{{ p }}", ["a", "b", "p"]],
  ["{% with v = a %}{{ v }}{% endwith %}{{ v }}", ["a", "v"]],
  ["{% import 'm' as m %}{% from 'n' import o as p %}{{ m.x() }}{{ p }}", []],
  ["{% block body %}{{ super() }}{{ a }}{% endblock %}", ["a"]],
  ["{# {{ a }} #}{% raw %}{{ b }}{% endraw %}", []],
  ["{% if größe %}{{ 変数 }}{% endif %}", ["größe", "変数"]],
])("%s uses names from outside that it does not define", (template, expected) => {
  expect(names(template)).toEqual(expected);
});

test("a use is found at its position", () => {
  expect(findReferences("ab {{ cd }} {{ cd | x }}").names).toEqual([
    { name: "cd", at: 6 },
    { name: "cd", at: 15 },
  ]);
});

test("included templates are classified: required, optional, computed", () => {
  const { files } = findReferences(
    `{% include "a.md" %}{% include "b.md" ignore missing %}{% extends 'c.yaml' %}{% include name %}`,
  );
  expect(files.map(({ name, isOptional }) => [name, isOptional])).toEqual([
    ["a.md", false],
    ["b.md", true],
    ["c.yaml", false],
    [null, false],
  ]);
});
