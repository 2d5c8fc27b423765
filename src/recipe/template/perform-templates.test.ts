import { expect, test } from "vitest";
import { performTemplates } from "./perform-templates.ts";
import type { TemplateWork } from "./template-worker.ts";

async function fill(template: string, more: Partial<TemplateWork> = {}): Promise<unknown> {
  const work = { task: "render", files: [], values: {}, isStrict: true, mark: "" } as const;
  const [outcome] = await performTemplates({ ...work, ...more, templates: [template] });
  return outcome?.problem ?? outcome?.text;
}

test("values are inserted unchanged", async () => {
  const value = `{{ x }} <b> "quoted" 'too' \\ \n and more`;
  expect(await fill("[{{ v }}]", { values: { v: value } })).toBe(`[${value}]`);
});

test("the last line break stays, and the indent filter exists", async () => {
  expect(await fill("{{ v | indent(2) }}\n", { values: { v: "a\nb" } })).toBe("a\n  b\n");
});

test("a name without a value is an error with its line", async () => {
  expect(await fill("a\n{{ missing }}")).toEqual({
    file: null,
    line: 2,
    message: "undefined value",
  });
});

test("an error in an included file names that file and its line", async () => {
  const files = [
    { name: "a.md", text: "{% include 'b.md' %}" },
    { name: "b.md", text: "\n\n{{ missing }}" },
  ];
  expect(await fill("{% include 'a.md' %}", { files })).toMatchObject({ file: "b.md", line: 3 });
});

test("included text is not escaped, whatever the file's extension", async () => {
  const files = [
    { name: "a.html", text: "{{ v }}" },
    { name: "a.yaml", text: "{{ v }}" },
  ];
  const template = "{% include 'a.html' %} {% include 'a.yaml' %}";
  expect(await fill(template, { files, values: { v: "<a&b>" } })).toBe("<a&b> <a&b>");
});

test.each([
  [
    "a loop without end in sight",
    "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
    "500000 steps",
  ],
  ["a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"],
  [
    "a text that is doubled again and again",
    `{% set x = "aaaaaaaaaaaaaaaa" %}${"{% set x = x ~ x %}".repeat(40)}{{ x | length }}`,
    "memory",
  ],
  ["a text of a gigabyte", "{{ ('a' * 1000000000) | length }}", "memory"],
  ["a long result", "{{ 'a' * 2000000 }}", "1048576 characters"],
  ["brackets in brackets", `{{ ${"[".repeat(2000)}${"]".repeat(2000)} }}`, "recursion"],
])("%s ends with an error", async (_, template, message) => {
  expect(await fill(template)).toMatchObject({ message: expect.stringContaining(message) });
  // The next template is not affected.
  expect(await fill("{{ v }}", { values: { v: "fine" } })).toBe("fine");
});

test("a template that includes itself through its files ends with an error", async () => {
  const files = [{ name: "a", text: "{% include 'a' %}" }];
  expect(await fill("{% include 'a' %}", { files })).toMatchObject({ message: expect.any(String) });
});

test("a template that takes too long is stopped", async () => {
  // Each round processes a text of a megabyte, which counts as a few steps.
  const template =
    "{% set x = 'a' * 1000000 %}{% for i in range(9999) %}{% set y = x | upper %}{% endfor %}";
  const work = { task: "render", files: [], values: {}, isStrict: true, mark: "" } as const;
  const outcomes = await performTemplates({ ...work, templates: [template, "b"] }, 50);
  expect(outcomes.map(({ problem }) => problem?.message)).toEqual([
    "The template takes more than 50 ms of CPU time to fill.",
    "The template takes more than 50 ms of CPU time to fill.",
  ]);
});

test("templates cannot reach JavaScript", async () => {
  const values = { v: { a: 1 }, t: "text" };
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(await fill(`{{ v.${name} }}`, { values })).toMatchObject({ message: "undefined value" });
    expect(await fill(`{{ t.${name} }}`, { values })).toMatchObject({ message: "undefined value" });
  }
});
