import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasError } from "../source/diagnostic.ts";
import { parseClaude } from "./claude/claude.ts";
import { parseCopilot } from "./copilot/copilot.ts";
import { findTextFormat } from "./find-format.ts";
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

test("a word for every tool does not count among others without commas", () => {
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
  ["in JSON", '---json\n{ "name": "a" }\n---\nBody'],
  ["in a longer fence, without a name", "````chatmode\n---\ndescription: d\n---\n````\nBody"],
  ["with line ends of Windows", "# Title\r\n\r\n---\r\nname: a\r\n---\r\nBody"],
  ["in TOML", '+++\nname = "a"\n+++\nBody'],
])("frontmatter %s is reported", async (_, text) => {
  const path = join(await mkdtemp(join(tmpdir(), "cadre-untidy-")), "a.md");
  await writeFile(path, text);
  const request = {
    path,
    format: findTextFormat("claude"),
    scope: "project",
    isTrusted: () => false,
  } as const;
  expect(await loadFile(request)).toMatchObject({
    definition: null,
    diagnostics: [{ severity: "warning", code: "frontmatter-misplaced" }],
  });
});

test("tools of other programs are one finding that needs no action", () => {
  const definition = parse("tools: Read, NotebookEdit, SlashCommand, Grep, LSP");
  expect(definition.tools).toEqual(["Read", "Grep"]);
  expect(definition.diagnostics).toMatchObject([
    { severity: "info", code: "tool-not-offered", line: 4 },
  ]);
  expect(definition.diagnostics[0]?.message).toContain(
    "`NotebookEdit`, `SlashCommand` and `LSP` are",
  );
});

test.each([
  ["tools: { read: true, bash: false, grep: allow }", '`tools: ["read","grep"]`'],
  ["tools: { allow: [Read, Grep], deny: [Bash] }", '`tools: ["Read","Grep"]`'],
  ["tools: { required: [Read], optional: [Edit] }", '`tools: ["Read","Edit"]`'],
  ["tools: [{ name: Read }, { name: Bash, enabled: false }]", '`tools: ["Read"]`'],
  ["tools: { level: 3 }", "`tools: [Read, Grep]`"],
])("%s is an error that says what to write, and gives nothing", (header, written) => {
  const definition = parse(header);
  expect(definition.tools).toEqual([]);
  expect(definition.diagnostics).toMatchObject([{ severity: "error", code: "wrong-type" }]);
  expect(definition.diagnostics[0]?.fix).toContain(written);
});

test("the same list under two keys is one list", () => {
  const definition = parse("tools: [Read, Bash]\nallowed_tools: [Read, Bash]");
  expect(definition.tools).toEqual(["Read", "Bash"]);
  expect(hasError(definition.diagnostics)).toBe(false);
  expect(hasError(parse("tools: [Read]\nallowed_tools: [Read, Bash]").diagnostics)).toBe(true);
});

test("a file named like an agent of VS Code, with its frontmatter in a fence, does not get every tool", () => {
  const text = "````chatmode\n---\ndescription: d\ntools: [read]\n---\n````\nBody";
  const path = "/p/.github/agents/a.agent.md";
  expect(parseCopilot({ path, text, scope: "project" })).toBeNull();
});
