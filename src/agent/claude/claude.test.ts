import { expect, test } from "vitest";
import { hasError } from "../../source/diagnostic.ts";
import { convertAgent } from "../convert.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseClaude } from "./claude.ts";

function parse(header: string): AgentDefinition {
  const text = `---\nname: reviewer\ndescription: Reviews.\n${header}\n---\nBody.`;
  const definition = parseClaude({ path: "/p/.claude/agents/any-file.md", text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

test("the name identifies the agent, not the file's name", () => {
  expect(parse("")).toMatchObject({ name: "reviewer", diagnostics: [] });
});

test("a name in another form is used as it is, with a warning", () => {
  const text = "---\nname: Code Reviewer\ndescription: x\n---\nBody.";
  const definition = parseClaude({ path: "/p/a.md", text, scope: "project" });
  expect(definition).toMatchObject({
    name: "Code Reviewer",
    diagnostics: [{ severity: "warning", code: "name-form", fix: "Write `name: code-reviewer`" }],
  });
});

test("a name and a description are required", () => {
  const definition = parseClaude({
    path: "/p/a.md",
    text: "---\ncolor: red\n---\nx",
    scope: "user",
  });
  const errors = definition?.diagnostics.filter(({ severity }) => severity === "error");
  expect(errors?.map(({ code }) => code)).toEqual(["name-missing", "description-missing"]);
});

test("prose is not a definition", () => {
  expect(parseClaude({ path: "/p/a.md", text: "# Notes\n\ntext", scope: "project" })).toBeNull();
});

test("Agent(…) limits the agents to delegate to, and patterns limit their tool", () => {
  const definition = parse("tools: Read, Agent(worker, researcher), Bash(git diff:*), mcp__git__*");
  expect(definition).toMatchObject({
    tools: ["Read", "Agent", "Bash", "mcp__git__*"],
    agents: ["worker", "researcher"],
  });
  expect(definition.permissions?.ordered).toEqual([
    { decision: "deny", rule: "Bash" },
    { decision: "allow", rule: "Bash(git diff:*)" },
  ]);
  expect(definition.diagnostics).toEqual([]);
  expect(parse("tools: [Task(worker), Read]")).toMatchObject({
    tools: ["Agent", "Read"],
    agents: ["worker"],
  });
});

test.each([
  ["default", "ask"],
  ["acceptEdits", "accept-edits"],
  ["plan", "plan"],
  ["dontAsk", "deny"],
  ["bypassPermissions", "auto"],
  ["auto", "auto"],
])("permission mode %s is %s here", (theirs, ours) => {
  expect(parse(`permissionMode: ${theirs}`).permissionMode).toBe(ours);
});

test("an unknown permission mode is an error, because it may be a restriction", () => {
  expect(hasError(parse("permissionMode: readonly").diagnostics)).toBe(true);
});

test("the other fields are read", () => {
  const header =
    "model: claude-opus-4-6\nmaxTurns: 9\nskills: [a]\nbackground: true\nisolation: worktree\neffort: max\nmcpServers:\n  - git\n  - inline: { command: x }";
  const definition = parse(header);
  expect(definition).toMatchObject({
    model: "anthropic:claude-opus-4-6",
    maxTurns: 9,
    skills: ["a"],
    background: true,
    isolation: "worktree",
    effort: "high",
    extensions: ["git", { name: "inline", type: "stdio", command: "x", args: [] }],
  });
  expect(definition.diagnostics.map(({ code, line }) => `${line} ${code}`)).toEqual([
    "9 unsupported-field",
  ]);
});

test("omitClaudeMd turns the instruction files off", () => {
  expect(parse("omitClaudeMd: true")).toMatchObject({ instructions: false, diagnostics: [] });
  expect(parse("omitClaudeMd: false")).not.toHaveProperty("instructions");
  const { text, lost } = convertAgent(parse("omitClaudeMd: true"), "claude");
  expect(text).toContain("omitClaudeMd: true\n");
  expect(lost).toEqual([]);
  const native = convertAgent(parse("omitClaudeMd: true"), "cadre");
  expect(native.text).toContain("instructions: false\n");
  expect(native.lost.map(({ field }) => field)).not.toContain("instructions");
});

test.each(["inherit", "default"])("model %s is the parent's", (model) => {
  expect(parse(`model: ${model}`)).not.toHaveProperty("model");
});

test.each([
  ["Claude Sonnet 4.5", "anthropic:claude-sonnet-4-5"],
  ["opus 4.1", "anthropic:claude-opus-4-1"],
  ["anthropic/claude-sonnet-4-5", "anthropic:claude-sonnet-4-5"],
  ["gpt-5", "openai:gpt-5"],
  ["sonnet[1m]", "sonnet"],
  ["claude-opus-4-6[1m]", "anthropic:claude-opus-4-6"],
])("the display name %s is the model %s", (written, model) => {
  expect(parse(`model: ${written}`)).toMatchObject({ model, diagnostics: [] });
});

test("hooks are read, and written again", () => {
  const definition = parse(
    "hooks: { PreToolUse: [{ matcher: Bash, hooks: [{ type: command, command: ./check.sh, timeout: 5 }] }] }",
  );
  expect(definition).toMatchObject({
    diagnostics: [],
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [{ command: "./check.sh", timeoutSeconds: 5 }] }],
    },
  });
});

test("memory, the first words and the colour are read, and written again", () => {
  const header = "memory: user\ninitialPrompt: Begin.\ncolor: purple";
  const definition = parse(header);
  expect(definition).toMatchObject({ memory: "user", initialPrompt: "Begin.", color: "purple" });
  expect(definition.diagnostics).toEqual([]);
  for (const format of ["claude", "cadre"] as const) {
    const { text, lost } = convertAgent(definition, format);
    expect(text).toMatch(/memory: user\ninitial_?[pP]rompt: Begin\.\ncolor: purple\n/);
    expect(lost).toEqual([]);
  }
});

test("an unknown memory is a warning, an unknown colour only a note", () => {
  const { memory, color, diagnostics } = parse('memory: team\ncolor: "#ff0000"');
  expect([memory, color]).toEqual([undefined, undefined]);
  expect(diagnostics.map(({ severity, line }) => `${line} ${severity}`)).toEqual([
    "4 warning",
    "5 info",
  ]);
});

test("escaped line breaks in a generated description become line breaks", () => {
  const text =
    '---\nname: a\ndescription: Use it when: asked.\\n\\n<example>\\nuser: "go"\\n</example>\n---\nBody.';
  const definition = parseClaude({ path: "/p/a.md", text, scope: "project" });
  expect(definition?.description).toBe('Use it when: asked.\n\n<example>\nuser: "go"\n</example>');
  expect(definition?.diagnostics).toMatchObject([
    { severity: "warning", code: "yaml-invalid", line: 3 },
  ]);
});

test("a server in a list may have its name beside its other keys, and its lists any name", () => {
  const header = `mcpServers:
  - { name: files, command: npx, args: [x], allowedTools: [read], trust: true }
  - { name: web, url: https://example.com/mcp, disabled_tools: [rm] }`;
  const definition = parse(header);
  expect(definition.extensions).toEqual([
    { name: "files", type: "stdio", command: "npx", args: ["x"], allow: ["read"] },
    { name: "web", type: "streamable_http", url: "https://example.com/mcp", deny: ["rm"] },
  ]);
  expect(definition.diagnostics).toMatchObject([{ severity: "info", code: "unsupported-field" }]);
});
