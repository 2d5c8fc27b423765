import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseGemini } from "./gemini.ts";

function parse(header: string): AgentDefinition {
  const text = `---\nname: auditor\ndescription: Audits.\n${header}\n---\n\nYou audit.\n`;
  return parseGemini({ path: "/p/.gemini/agents/auditor.md", text, scope: "project" });
}

test("every field is read, minutes as seconds", () => {
  const definition = parse(`kind: local
tools:
  - read_file
  - grep_search
model: gemini-3-flash-preview
temperature: 0.2
max_turns: 10
timeout_mins: 15`);
  expect(definition).toMatchObject({
    name: "auditor",
    description: "Audits.",
    systemPrompt: "You audit.",
    tools: ["Read", "Grep"],
    model: "google:gemini-3-flash-preview",
    temperature: 0.2,
    maxTurns: 10,
    timeoutSeconds: 900,
    maxDepth: 0,
    diagnostics: [],
  });
});

test("unset fields have Gemini CLI's defaults: 30 turns, 10 minutes, and no delegating", () => {
  const definition = parse("");
  expect(definition).toMatchObject({ maxTurns: 30, timeoutSeconds: 600, maxDepth: 0 });
  expect(definition).not.toHaveProperty("tools");
  expect(definition).not.toHaveProperty("model");
});

test.each([
  ["'*'", undefined],
  ["mcp_*", ["mcp__*"]],
  ["mcp_git-hub_*", ["mcp__git-hub__*"]],
  ["mcp_github_get_issue", ["mcp__github__get_issue"]],
  ["run_shell_command", ["Bash"]],
  ["read_many_files", ["Read"]],
])("the tool %s is understood", (name, tools) => {
  expect(parse(`tools: [${name}]`).tools).toEqual(tools);
});

test("an unknown tool is a warning with the nearest", () => {
  const some = parse("tools: [read_flie, glob]");
  const tools = ["mcp__read_flie__*", "Glob"];
  expect(some).toMatchObject({ tools, diagnostics: [{ code: "unknown-tool", line: 4 }] });
  expect(some.diagnostics[0]?.fix).toContain("read_file");
});

test("an underscore in a name is usual, a capital is not", () => {
  const named = (name: string): string[] => {
    const text = `---\nname: ${name}\ndescription: d\n---\nBody.`;
    const file = { path: "/p/a.md", text, scope: "project" } as const;
    return parseGemini(file).diagnostics.map(({ code }) => code);
  };
  expect(named("code_auditor")).toEqual([]);
  expect(named("Code Auditor")).toEqual(["name-form"]);
});

test("servers of its own become extensions", () => {
  const definition = parse(`mcp_servers:
  mine: { command: node, args: [server.js], env: { KEY: $KEY, MODE: fast }, timeout: 5000 }
  web: { httpUrl: "https://example.com/mcp", headers: { Authorization: "Bearer \${TOKEN}" }, includeTools: [find] }`);
  expect(definition.extensions).toEqual([
    {
      name: "mine",
      type: "stdio",
      command: "node",
      args: ["server.js"],
      environment: { MODE: "fast" },
      environmentKeys: ["KEY"],
      timeoutSeconds: 5,
    },
    {
      name: "web",
      type: "streamable_http",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer ${TOKEN}" },
      allow: ["find"],
      environmentKeys: ["TOKEN"],
    },
  ]);
});

test("a remote agent is an error with a fix", () => {
  const { diagnostics } = parse("kind: remote\nagent_card_url: https://example.com/card");
  expect(diagnostics).toMatchObject([{ severity: "error", code: "kind-unsupported", line: 4 }]);
  expect(diagnostics[0]?.fix).toContain("kind: local");
});

test("a file without frontmatter is an error", () => {
  const file = { path: "/p/a.md", text: "You audit.", scope: "project" } as const;
  expect(parseGemini(file).diagnostics).toMatchObject([{ code: "frontmatter-missing" }]);
});
