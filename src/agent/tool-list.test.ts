import { homedir } from "node:os";
import { expect, test } from "vitest";
import type { AgentDefinition } from "./agent.ts";
import { parseNative } from "./native.ts";

function parse(header: string): AgentDefinition {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function rules(header: string): string[] {
  const ordered = parse(header).permissions?.ordered ?? [];
  return ordered.map(({ decision, rule }) => `${decision} ${rule}`);
}

test("a tool with patterns is limited to them, each a rule of its own", () => {
  expect(parse("tools: Bash(git:*), Bash(npm test), Read").tools).toEqual(["Bash", "Read"]);
  const expected = ["deny Bash", "allow Bash(git:*)", "allow Bash(npm test)"];
  expect(rules("tools: Bash(git:*), Bash(npm test), Read")).toEqual(expected);
  expect(rules("tools: [Read, 'Bash(git:*, npm test)']")).toEqual(expected);
  expect(rules("tools: Read Bash(git:*) Bash(npm test)")).toEqual(expected);
});

test("a mark of Markdown before a name is passed over", () => {
  expect(parse("tools: ['- Read', '- Grep']").tools).toEqual(["Read", "Grep"]);
});

test("a tool that is also given whole is not limited, nor is one with a star", () => {
  expect(parse("tools: Bash, Bash(git:*)")).not.toHaveProperty("permissions");
  expect(parse("tools: Bash(*)")).not.toHaveProperty("permissions");
  expect(parse("tools: '*, Bash(git:*)'")).not.toHaveProperty("permissions");
});

test("what reads and writes like a limited tool is limited like it", () => {
  expect(rules("tools: Read(src/**), Grep")).toEqual([
    "deny Read",
    "allow Read(src/**)",
    "allow Grep(src/**)",
  ]);
  expect(rules("tools: edit(docs/**)")).toEqual([
    "deny Edit",
    "deny Write",
    "allow Edit(docs/**)",
    "allow Write(docs/**)",
  ]);
});

test("paths are read as Claude Code writes them", () => {
  expect(rules("tools: Read(//etc/hosts)")).toContain("allow Read(/etc/hosts)");
  expect(rules("tools: Read(/src/a.ts)")).toContain("allow Read(src/a.ts)");
  expect(rules("tools: Read(./src/)")).toContain("allow Read(src/)");
  expect(rules("tools: Read(~/notes/**)")).toContain(`allow Read(${homedir()}/notes/**)`);
  expect(rules("tools: Read(*.md)")).toContain("allow Read(**/*.md)");
});

test("a denied pattern denies that part only, after everything that is allowed", () => {
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

test("a limit that cannot be understood gives nothing, and denies the whole tool", () => {
  expect(parse("tools: WebFetch(domain:), Read")).toMatchObject({
    tools: ["Read"],
    diagnostics: [{ severity: "error", code: "tool-pattern", line: 4 }],
  });
  expect(parse("disallowed_tools: WebFetch(domain:)").disallowedTools).toEqual(["WebFetch"]);
});
