import { expect, test } from "vitest";
import { parseOpenCode } from "../opencode/opencode.ts";

function overruled(header: string): string[] {
  const text = `---\ndescription: Reviews.\n${header}\n---\nReview it.\n`;
  const path = "/p/.opencode/agents/a.md";
  const definition = parseOpenCode({ path, text, scope: "project" });
  const found = definition?.diagnostics.filter(({ code }) => code === "rule-overruled") ?? [];
  return found.map(({ line, message }) => `${line} ${message.split(":")[0]}`);
}

test.each([
  ['permission: { bash: { "git *": allow, "*": deny } }', ['3 `bash "git *"']],
  ['permission: { bash: { "git push *": deny, "git *": allow } }', ['3 `bash "git push *"']],
  ['permission: { edit: { "src/a.ts": deny, "src/?.ts": allow } }', ['3 `edit "src/a.ts"']],
  ['permission:\n  bash: allow\n  "*": deny', ["4 `bash"]],
  ["permissions: [{ action: shell, effect: allow }, { action: '*', effect: deny }]", ["3 `shell"]],
])("a rule that a later one overrides is reported: %s", (header, found) => {
  expect(overruled(header)).toEqual(found);
});

test.each([
  'permission: { bash: { "*": deny, "git *": allow, "git push *": deny } }',
  'permission: { bash: { "git *": allow, "npm *": deny } }',
  'permission: { bash: { "git *": deny, "*": deny } }',
  'permission: { bash: { "*": ask, "g?t *": allow } }',
  'permission: { bash: { "a*": deny, "a?": allow } }',
  'permission: { bash: deny, "*": allow }',
  'permission: { "*": deny, bash: allow }',
])("a rule with an effect is not reported: %s", (header) => {
  expect(overruled(header)).toEqual([]);
});

test("rules with many stars are compared quickly", () => {
  const many = Array.from({ length: 200 }, (_, at) => `"${"a*".repeat(30)}${at}": allow`);
  expect(overruled(`permission: { bash: { ${many.join(", ")} } }`)).toEqual([]);
});
