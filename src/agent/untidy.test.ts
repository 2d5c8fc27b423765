import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseClaude } from "./claude.ts";
import { loadFile } from "./load-file.ts";

function parse(lines: string) {
  const text = `---\nname: a\ndescription: d\n${lines}\n---\nBody.`;
  const definition = parseClaude({ path: "/p/.claude/agents/a.md", text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

test.each([
  ["no value", "tools:", []],
  ["an empty text", 'tools: ""', []],
  ["null", "tools: null", []],
  ["a list with Markdown's marks", "tools:\n  * Read\n  * Grep", ["Read", "Grep"]],
  ["the key of skills", "allowed-tools: Read", ["Read"]],
  ["the key of skills in another spelling", "allowed_tools: [Read]", ["Read"]],
])("tools written as %s never become every tool, and there is a warning", (_, lines, tools) => {
  const definition = parse(lines);
  expect(definition.tools).toEqual(tools);
  expect(definition.diagnostics.map(({ severity }) => severity)).toEqual(["warning"]);
});

test.each([
  ["semicolons", "tools: Read; Grep", ["Read", "Grep"]],
  ["bars", "tools: Read | Grep", ["Read", "Grep"]],
  ["wide commas", "tools: Read，Grep", ["Read", "Grep"]],
  ["quotes around each", "tools: 'read', 'github/*'", ["Read", "mcp__github__*"]],
  ["backquotes around each", "tools: `Read`, `Grep`", ["Read", "Grep"]],
])("tools with %s are those tools", (_, lines, tools) => {
  expect(parse(lines).tools).toEqual(tools);
});

test("a word that means every tool does not, among others without commas", () => {
  for (const lines of ["tools: Read all", 'tools: "* Read"', "tools: Read *"]) {
    expect(parse(lines), lines).toMatchObject({
      tools: [],
      diagnostics: expect.arrayContaining([
        expect.objectContaining({ severity: "error", code: "no-tools" }),
      ]),
    });
  }
});

test("a description that begins with brackets is text", () => {
  expect(parse("description: [WIP] reviews: all").description).toBe("[WIP] reviews: all");
});

test("a model that is a list of models is the parent's, with a warning", () => {
  const definition = parse("model: [Claude Opus, GPT]");
  expect(definition.model).toBeUndefined();
  expect(definition.diagnostics).toMatchObject([{ severity: "warning", code: "model-invalid" }]);
});

test("Claude's aliases count in any case", () => {
  expect(parse("model: Opus").model).toBe("opus");
});

test.each([
  ["after a title", "# Title\n\n---\nname: a\ndescription: d\n---\nBody"],
  ["after a comment", "<!-- c -->\n---\nname: a\n---\nBody"],
  ["in a code fence", "```yaml\n---\nname: a\n---\n```\nBody"],
  ["indented", "  ---\n  name: a\n  ---\n  Body"],
  ["with four hyphens", "----\nname: a\n----\nBody"],
  ["in TOML", '+++\nname = "a"\n+++\nBody'],
])("frontmatter %s is not passed over in silence", async (_, text) => {
  const path = join(await mkdtemp(join(tmpdir(), "cadre-untidy-")), "a.md");
  await writeFile(path, text);
  const request = { path, format: "claude", scope: "project", isTrusted: () => false } as const;
  expect(await loadFile(request)).toMatchObject({
    definition: null,
    diagnostics: [{ severity: "warning", code: "frontmatter-misplaced" }],
  });
});
