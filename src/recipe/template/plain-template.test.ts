import * as fc from "fast-check";
import { expect, test } from "vitest";
import { performTemplates } from "./perform-templates.ts";
import { fillPlainTemplate } from "./plain-template.ts";
import type { TemplateWork } from "./template-worker.ts";

const work: TemplateWork = {
  task: "render",
  files: [],
  templates: [],
  values: { file: "a.ts", in: "within", range: "far", Größe: "L", count: 3 },
  isStrict: true,
  mark: "",
};
const fill = (template: string): string | null => {
  const outcome = fillPlainTemplate(template, work);
  return outcome === null || outcome.problem !== undefined ? null : outcome.text;
};

test("text and names are filled without the engine", () => {
  expect(fill("Fix {{ file }} and {{file}}.\n")).toBe("Fix a.ts and a.ts.\n");
  expect(fill("")).toBe("");
});

test.each([
  "{{ file | upper }}",
  "{{- file }}",
  "{% raw %}{{ file }}{% endraw %}",
  "{{ file }}{# a comment #}",
  "{{ file",
  "{{ missing }}",
  "{{ count }}",
  "{{ true }}",
  "{{ file }}\r\n",
])("%j needs the engine", (template) => {
  expect(fill(template)).toBeNull();
});

test("filling without the engine gives the same result as the engine", async () => {
  const names = [
    "file",
    "in",
    "and",
    "is",
    "not",
    "none",
    "range",
    "Größe",
    "count",
    "__x",
    "self",
  ];
  const name = fc.constantFrom(...names);
  const expression = fc
    .tuple(name, fc.constantFrom("", " ", "\n"))
    .map(([word, space]) => `{{${space}${word}${space}}}`);
  const text = fc.constantFrom("x", " ", "\n", "{", "}", "{ {", "é", "\\", '"', "#}", "%}");
  const template = fc.array(fc.oneof(expression, text), { maxLength: 6 });
  const task = fc.constantFrom("check" as const, "render" as const);
  await fc.assert(
    fc.asyncProperty(template, task, async (parts, what) => {
      const written = parts.join("");
      const alone = { ...work, task: what };
      const plain = fillPlainTemplate(written, alone);
      fc.pre(plain !== null);
      // With a comment before it, only the engine can fill it.
      const outcomes = await performTemplates({ ...alone, templates: [`{# #}${written}`] });
      expect(outcomes).toEqual([plain]);
    }),
  );
});
