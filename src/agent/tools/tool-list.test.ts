import { homedir } from "node:os";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseNative } from "../native/native.ts";

function parse(header: string): AgentDefinition {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function rules(header: string): string[] {
  const ordered = parse(header).permissions?.ordered ?? [];
  return ordered.map(({ decision, rule }) => `${decision} ${rule}`);
}

test("a tool with patterns is limited to them, with a rule for each", () => {
  expect(parse("tools: Bash(git:*), Bash(npm test), Read").tools).toEqual(["Bash", "Read"]);
  const expected = ["deny Bash", "allow Bash(git:*)", "allow Bash(npm test)"];
  expect(rules("tools: Bash(git:*), Bash(npm test), Read")).toEqual(expected);
  expect(rules("tools: [Read, 'Bash(git:*, npm test)']")).toEqual(expected);
  expect(rules("tools: Read Bash(git:*) Bash(npm test)")).toEqual(expected);
});

test("a Markdown mark before a name is ignored", () => {
  expect(parse("tools: ['- Read', '- Grep']").tools).toEqual(["Read", "Grep"]);
});

test("a tool that is also granted whole is not limited, nor is one with a star", () => {
  expect(parse("tools: Bash, Bash(git:*)")).not.toHaveProperty("permissions");
  expect(parse("tools: Bash(*)")).not.toHaveProperty("permissions");
  expect(parse("tools: '*, Bash(git:*)'")).not.toHaveProperty("permissions");
});

test("tools that read and write like a limited tool share its limit", () => {
  expect(rules("tools: Read(src/**), Grep")).toEqual([
    "deny Read",
    "allow Read(src/**)",
    "allow Grep(src/**)",
  ]);
  expect(rules("tools: edit(docs/**)")).toEqual([
    "deny Edit",
    "deny Write",
    "deny Read",
    "allow Edit(docs/**)",
    "allow Write(docs/**)",
    "allow Read(docs/**)",
  ]);
});

test("paths are read as Claude Code writes them", () => {
  expect(rules("tools: Read(//etc/hosts)")).toContain("allow Read(/etc/hosts)");
  expect(rules("tools: Read(/src/a.ts)")).toContain("allow Read(src/a.ts)");
  expect(rules("tools: Read(./src/)")).toContain("allow Read(src/)");
  expect(rules("tools: Read(~/notes/**)")).toContain(`allow Read(${homedir()}/notes/**)`);
  expect(rules("tools: Read(*.md)")).toContain("allow Read(**/*.md)");
});

test("a denied pattern denies only that part, after all allowed ones", () => {
  const header = "tools: Bash(git:*)\ndisallowed_tools: Bash(git push:*), Agent(worker)";
  expect(parse(header)).toMatchObject({ tools: ["Bash"], disallowedTools: [] });
  expect(rules(header)).toEqual([
    "deny Bash",
    "allow Bash(git:*)",
    "deny Bash(git push:*)",
    "deny Agent(worker)",
    "deny Subagent(worker)",
    "deny sessions_spawn(worker)",
  ]);
});

test("an invalid limit grants nothing, and denies the whole tool", () => {
  expect(parse("tools: WebFetch(domain:), Read")).toMatchObject({
    tools: ["Read"],
    diagnostics: [{ severity: "error", code: "tool-pattern", line: 4 }],
  });
  expect(parse("disallowed_tools: WebFetch(domain:)").disallowedTools).toEqual(["WebFetch"]);
});

test("an agent that may edit may read the same files, in any format, unless reading is denied", () => {
  expect(parse("tools: [edit]")).toMatchObject({
    tools: ["Edit", "Write", "Read"],
    diagnostics: [{ severity: "info", code: "read-implied" }],
  });
  expect(parse("tools: [edit, read]").diagnostics).toEqual([]);
  expect(parse("tools: Edit(docs/**), Glob")).toMatchObject({ tools: ["Edit", "Glob", "Read"] });
  expect(rules("tools: Edit(docs/**), Grep")).toEqual(["deny Edit", "allow Edit(docs/**)"]);
  expect(parse("tools: [Write]").tools).toEqual(["Write"]);
  expect(parse("tools: [edit]\ndisallowed_tools: Read").disallowedTools).toEqual(["Read"]);
});

test("a bare name means the tools of a server: the file's own silently, any other with a warning", () => {
  const own = "extensions: { memory: { command: x }, notes: { command: y } }\n";
  expect(parse(`${own}tools: [Read, memory, notes]`)).toMatchObject({
    tools: ["Read", "mcp__memory__*", "mcp__notes__*"],
    diagnostics: [],
  });
  expect(parse("tools: [Read, playwright]")).toMatchObject({
    tools: ["Read", "mcp__playwright__*"],
    diagnostics: [{ severity: "warning", code: "unknown-tool", line: 4 }],
  });
  expect(parse("disallowed_tools: [playwright]").disallowedTools).toEqual(["mcp__playwright__*"]);
});

test("a list of only other programs' tools grants none and loads, one of text that cannot be a name is an error", () => {
  for (const tools of [
    "[SlashCommand]",
    "[NotebookEdit, LSP]",
    "[frobnicate]",
    "[frob, SlashCommand]",
  ]) {
    const { tools: given = ["*"], diagnostics } = parse(`tools: ${tools}`);
    expect(
      given.filter((tool) => !tool.startsWith("mcp__fr")),
      tools,
    ).toEqual([]);
    const found = diagnostics.map(({ severity }) => severity);
    expect(found, tools).toContain("warning");
    expect(found, tools).not.toContain("error");
  }
  for (const tools of ["[all the rest]", "['%&']", "[NotebookEdit, 'everything else']"])
    expect(parse(`tools: ${tools}`).diagnostics.map(({ severity }) => severity)).toContain("error");
});

test("no suggestion grants more than the agent has", () => {
  const fixes = (header: string): string =>
    parse(header)
      .diagnostics.map(({ message, fix }) => `${message} ${fix}`)
      .join("\n");
  expect(fixes("tools: [Raed]")).toContain("Write `Read`");
  expect(fixes("tools: [Read, Bsah, Wirte, Eidt, view_file, WebFecth, Agnet]")).not.toMatch(
    /Bash|Write`|Edit|new_file|WebFetch|Agent|Did you mean/,
  );
  expect(fixes("tools: [Bash, Bsah]")).toContain("Write `Bash`");
  expect(fixes("tools: [Bash(git:*), Bsah]")).not.toContain("Write `Bash`");
  expect(fixes("tools: [Read, 'Bash()']")).not.toContain("for all of it");
  expect(fixes("tools:")).not.toContain("every tool");
});
