import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldRows, formatAgents } from "./agent-rows.ts";
import { textWidth } from "../../terminal/text-width.ts";
import { type AgentDefinition, type Diagnostic, nameRunner } from "../../../host.ts";

function agent(name: string, values: Partial<AgentDefinition> = {}): AgentDefinition {
  const path = join(process.cwd(), ".claude/agents", `${name}.md`);
  return {
    name,
    description: `Is ${name}. `.repeat(20),
    systemPrompt: "x",
    timeoutSeconds: 300,
    source: { format: "claude", scope: "project", path },
    diagnostics: [],
    lines: {},
    ...values,
  };
}

function list(agents: AgentDefinition[], columns = Infinity, others: AgentDefinition[] = []) {
  return formatAgents(
    { agents, all: [...agents, ...others], diagnostics: [] },
    columns,
    nameRunner,
  );
}

function finding(code: string): Diagnostic {
  return { path: "/p", line: 1, column: 1, severity: "error", code, message: "m", fix: null };
}

test.each([
  [{}, "all"],
  [{ tools: [] }, "none"],
  [{ tools: ["Read", "Bash"], disallowedTools: ["Bash"] }, "Read"],
  [{ disallowedTools: ["Edit", "Write"] }, "all but Edit,Write"],
  [{ tools: ["Read", "Grep", "Glob", "WebFetch", "Bash"] }, "Read,Grep,Glob,+2"],
])("the tools of %j are shown as %s", (values, shown) => {
  const [, line = ""] = list([agent("a", values)]);
  expect(line.split(/ {2,}/)[4]).toBe(shown);
});

test("an agent that runs in another program is listed with the program instead of a model", () => {
  const runner = "acp:KEY=secret /opt/bin/codex-acp --verbose";
  const [, line = ""] = list([agent("a", { runner, model: "openai:gpt-5" })]);
  expect(line.split(/ {2,}/)[3]).toBe("acp:codex-acp");
});

test("a limited tool is shown with its limit", () => {
  const ordered = [
    { decision: "deny", rule: "Bash" },
    { decision: "allow", rule: "Bash(git:*)" },
  ] as const;
  const permissions = { allow: [], ask: [], deny: [], ordered };
  const lines = list([agent("a", { tools: ["Bash"], permissions }), agent("b", { permissions })]);
  expect(lines[1]).toContain("  Bash(…)  ");
  expect(lines[2]).toContain("  all but Bash(…)  ");
});

test("unusable agents are listed last, with the reason", () => {
  const lines = list([agent("good")], Infinity, [
    agent("bad", { diagnostics: [finding("no-tools")] }),
    agent("off", { disabled: true }),
    agent("good", { diagnostics: [finding("shadowed")] }),
    agent("code", { diagnostics: [finding("not-trusted")] }),
  ]);
  expect(lines.slice(2).map((line) => /\((.+?)\)/.exec(line)?.[1])).toEqual([
    "broken",
    "off",
    "shadowed",
    "not trusted",
  ]);
});

test("on a narrow terminal a description has its own line, and no line is too long", () => {
  const wide = agent("a-name-that-is-rather-long-for-a-list", {
    model: "anthropic:claude-sonnet-4-5-20250929",
    tools: ["Read", "Grep", "mcp__a_server_with_a_long_name__and_a_tool", "Bash"],
  });
  const lines = list([wide, agent("b")], 80);
  expect(lines).toHaveLength(5);
  expect(lines[2]).toMatch(/^ {2}\.claude\/agents\/a-name\S+\.md: Is a-name/);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
});

test("values are shown in readable form, and continue on the next line if they do not fit", () => {
  const origin = join(process.cwd(), "a.md:4");
  const ordered = [{ decision: "deny", rule: "Bash" }];
  const fields = [
    { field: "tools", value: ["Read", "Grep"], origin },
    { field: "extensions", value: [], origin },
    {
      field: "permissions",
      value: { allow: ["Read"], ask: ["Edit"], deny: ["Bash(rm*)"], ordered },
      origin,
    },
    { field: "budget", value: { tokens: 5 }, origin: "default" },
  ];
  expect(fieldRows(fields, Infinity)).toEqual([
    ["tools", "a.md:4", "Read, Grep"],
    ["extensions", "a.md:4", "none"],
    // Deny wins over ask, and ask over allow.
    ["permissions", "a.md:4", "deny: Bash(rm*)"],
    ["", "", "ask: Edit"],
    ["", "", "allow: Read"],
    ["", "", "ordered, the last match counts:"],
    ["", "", "deny: Bash"],
    ["budget", "default", "tokens: 5"],
  ]);
  const long = [{ field: "description", value: "word ".repeat(30), origin: "default" }];
  const rows = fieldRows(long, 60);
  expect(rows.length).toBeGreaterThan(3);
  for (const [, , text = ""] of rows) expect(text.trimEnd().length).toBeLessThanOrEqual(38);
});

test("the names of agents have the colours of their definitions", () => {
  const agents = [
    agent("a", { color: "purple" }),
    agent("b"),
    agent("long-name", { color: "pink" }),
  ];
  const paint = (style: string, text: string): string => `<${style}>${text}</>`;
  for (const columns of [80, 200]) {
    const discovery = { agents, all: agents, diagnostics: [] };
    const lines = formatAgents(discovery, columns, nameRunner, paint);
    const plain = list(agents, columns);
    expect(lines.map((line) => line.replaceAll(/<\/?\w*>/g, ""))).toEqual(plain);
    expect(lines.filter((line) => line.includes("<"))).toEqual([
      expect.stringMatching(/^<magenta>a<\/> +claude/),
      expect.stringMatching(/^<magentaBright>long-name<\/> +claude/),
    ]);
  }
});
