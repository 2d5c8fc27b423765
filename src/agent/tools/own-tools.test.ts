import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import type { AgentFile } from "../fields/common-fields.ts";
import { parseClaude } from "../claude/claude.ts";
import { parseCodex } from "../codex/codex.ts";
import { parseNative } from "../native/native.ts";
import { parseOpenCode } from "../opencode/opencode.ts";

const ownTools = ["lookup", "search"];

type Parse = (file: AgentFile) => AgentDefinition | null;

function read(parse: Parse, text: string, known: readonly string[] = ownTools): AgentDefinition {
  const file = { path: "/p/a.md", text, scope: "project", ownTools: known } as const;
  const definition = parse(file);
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

function native(header: string, known?: readonly string[]): AgentDefinition {
  return read(parseNative, `---\nname: a\ndescription: d\n${header}\n---\nBody.`, known);
}

test("a list of tools names those of the program, whole or limited to arguments", () => {
  const { tools, permissions, diagnostics } = native("tools: Read, lookup(customer:4*), search");
  expect(tools).toEqual(["Read", "lookup", "search"]);
  expect(permissions?.ordered).toEqual([
    { decision: "deny", rule: "lookup" },
    { decision: "allow", rule: "lookup(customer:4*)" },
  ]);
  expect(diagnostics).toEqual([]);
});

test("a name that is also another program's word for a tool grants the own one, and denies both", () => {
  expect(native("tools: search").tools).toEqual(["search"]);
  expect(native("disallowed_tools: search").disallowedTools).toEqual(["search", "Grep", "Glob"]);
});

test("denying every tool denies those of the program", () => {
  expect(native('disallowed_tools: "*"').disallowedTools).toEqual(
    expect.arrayContaining(["Read", "lookup", "search", "mcp__*"]),
  );
});

test("a misspelt name in a list of denied tools is an error", () => {
  expect(native("disallowed_tools: lokup").diagnostics).toMatchObject([
    { severity: "error", code: "unknown-tool", fix: "Write `lookup`." },
  ]);
});

test("the permissions of an agent name them, in words of other programs too", () => {
  const deny = 'permissions: { deny: ["lookup(customer:vip)"] }';
  expect(native(deny)).toMatchObject({
    permissions: { deny: ["lookup(customer:vip)"] },
    diagnostics: [],
  });
  const text = `---\nname: a\ndescription: d\n${deny}\n---\nBody.`;
  expect(read(parseClaude, text).permissions?.deny).toEqual(["lookup(customer:vip)"]);
});

test("rules in words of other programs are translated before a name counts as absent", () => {
  const rules = (list: string, known?: readonly string[]): AgentDefinition =>
    read(parseClaude, `---\nname: a\ndescription: d\npermissions: ${list}\n---\nBody.`, known);
  const shell = rules('{ allow: ["shell(git push:*)"] }', []);
  expect(shell).toMatchObject({ permissions: { allow: ["Bash(git push:*)"] }, diagnostics: [] });
  expect(rules('{ allow: ["search"] }').permissions?.allow).toEqual(["search"]);
  expect(rules('{ deny: ["search"] }').permissions?.deny).toEqual(["search", "Grep", "Glob"]);
});

test("rules of OpenCode decide about them", () => {
  const rules = (map: string): AgentDefinition =>
    read(parseOpenCode, `---\ndescription: d\npermission: ${map}\n---\nBody.`);
  const asked = rules('{ "*": ask, search: deny, lookup: { "*": allow, "x*": deny } }');
  expect(asked.disallowedTools).toEqual(["Grep", "Glob", "search"]);
  expect(asked.permissions?.ordered).toContainEqual({ decision: "deny", rule: "lookup(x*)" });
  expect(asked.permissions?.ordered).not.toContainEqual({ decision: "ask", rule: "lookup" });
  expect(rules('{ "*": deny, lookup: allow }').tools).toEqual(["lookup"]);
  expect(rules('{ "*": ask }').permissions?.ordered).toEqual(
    expect.arrayContaining([
      { decision: "ask", rule: "lookup" },
      { decision: "ask", rule: "search" },
    ]),
  );
});

test("roles of Codex name them", () => {
  const text = 'name = "a"\ndescription = "d"\ndeveloper_instructions = "x"\ntools = ["lookup"]';
  expect(read(parseCodex, text).tools).toEqual(["lookup"]);
});

test("without the program, a check says what the names stand for", () => {
  expect(native("tools: Read, lookup", [])).toMatchObject({
    tools: ["Read", "mcp__lookup__*"],
    diagnostics: [
      {
        severity: "warning",
        message: expect.stringContaining(
          "for a tool of that name only in a program that passes it to createCadre",
        ),
      },
    ],
  });
  const rules = native('permissions: { allow: ["lookup(customer:*)"] }', []);
  expect(rules.permissions?.allow).toEqual(["lookup(customer:*)"]);
  expect(rules.diagnostics).toMatchObject([
    {
      severity: "warning",
      message: expect.stringContaining("it allows nothing except in a program"),
    },
  ]);
  // Without effect it would give the agent more than its author wanted.
  const [denied] = native('permissions: { deny: ["lookup"] }', []).diagnostics;
  expect(denied).toMatchObject({ severity: "error" });
  expect(denied?.message).toContain("Write `lookup*` for a tool that only a program passes");
  expect(native('permissions: { deny: ["lookup*"] }', []).diagnostics).toEqual([]);
});
