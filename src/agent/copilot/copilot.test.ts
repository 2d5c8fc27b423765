import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseCopilot } from "./copilot.ts";

function parse(header: string, name = "planner.agent.md"): AgentDefinition {
  const text = `---\n${header}\n---\n\n# Planning\n\nMake a plan. Then stop.\n`;
  const definition = parseCopilot({ path: `/p/.github/agents/${name}`, text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

test("the name is the written one, otherwise the file's without .agent.md", () => {
  expect(parse("name: Feature Builder\ndescription: d")).toMatchObject({
    name: "Feature Builder",
    diagnostics: [],
  });
  expect(parse("description: d").name).toBe("planner");
  expect(parse("description: d", "reviewer.md").name).toBe("reviewer");
});

test("a missing description is the first sentence of the text, with a warning", () => {
  expect(parse("name: a")).toMatchObject({
    description: "Make a plan.",
    diagnostics: [{ severity: "warning", code: "description-missing" }],
  });
});

test("no list of tools means all, an empty list none, and names of any product are understood", () => {
  expect(parse("description: d")).not.toHaveProperty("tools");
  expect(parse("description: d\ntools: ['*']")).not.toHaveProperty("tools");
  expect(parse("description: d\ntools: []")).toMatchObject({ tools: [], diagnostics: [] });
  expect(parse("description: d\ntools: read, edit, search, web, agent").tools).toEqual([
    "Read",
    "Edit",
    "Write",
    "Grep",
    "Glob",
    "WebFetch",
    "Agent",
  ]);
  expect(
    parse("description: d\ntools: [execute/runInTerminal, read/readFile, edit/*]").tools,
  ).toEqual(["Bash", "Read", "Edit", "Write"]);
});

test("tools of servers: one, all of a server, and servers with spaces and dots in their name", () => {
  const tools = "['github/get_issue', 'playwright/*', 'Azure MCP/*', 'com.microsoft/azure/search']";
  expect(parse(`description: d\ntools: ${tools}`).tools).toEqual([
    "mcp__github__get_issue",
    "mcp__playwright__*",
    "mcp__Azure_MCP__*",
    "mcp__com_microsoft_azure__search",
  ]);
});

test("an unknown member of a tool set is not a tool of a server", () => {
  const definition = parse("description: d\ntools: [read/readFile, execute/somethingNew]");
  expect(definition.tools).toEqual(["Read"]);
  expect(definition.diagnostics).toMatchObject([{ code: "tool-not-offered" }]);
  expect(parse("description: d\ntools: [vscode]").tools).toEqual([]);
});

test.each([
  ["Claude Sonnet 4.5 (copilot)", "anthropic:claude-sonnet-4-5"],
  ["GPT-5 mini", "openai:gpt-5-mini"],
  ["gpt-4.1", "openai:gpt-4.1"],
  ["Gemini 2.5 Pro (Preview)", "google:gemini-2.5-pro"],
  ["Claude 3.7 Sonnet", "anthropic:claude-3-7-sonnet-latest"],
  ["Auto", undefined],
])("model %s is %s", (written, model) => {
  expect(parse(`description: d\nmodel: ${written}`).model).toBe(model);
});

test("the first of a list of models is used, and the others are its fallbacks", () => {
  const definition = parse("description: d\nmodel: ['Claude Opus 4.5', 'GPT-5.2', Auto]");
  expect(definition).toMatchObject({
    model: "anthropic:claude-opus-4-5",
    fallbacks: ["openai:gpt-5.2"],
    diagnostics: [],
  });
});

test("`agents` limits the agents to delegate to; a star means all", () => {
  expect(parse("description: d\nagents: [Researcher, Implementer]").agents).toEqual([
    "Researcher",
    "Implementer",
  ]);
  expect(parse("description: d\nagents: []").agents).toEqual([]);
  expect(parse("description: d\nagents: ['*']")).not.toHaveProperty("agents");
});

test("the file's servers become extensions, with the variables they need", () => {
  const definition = parse(`description: d
mcp-servers:
  custom:
    type: local
    command: some-command
    args: ['--key', '\${{ secrets.COPILOT_MCP_KEY }}']
    tools: ["*"]
    env:
      TOKEN: $COPILOT_MCP_TOKEN
  web: { type: http, url: 'https://example.com/mcp', tools: [find] }
  old: { type: sse, url: 'https://example.com/sse' }`);
  expect(definition.extensions).toEqual([
    // The servers of the parent too.
    "*",
    {
      name: "custom",
      type: "stdio",
      command: "some-command",
      args: ["--key", "${COPILOT_MCP_KEY}"],
      environment: { TOKEN: "${COPILOT_MCP_TOKEN}" },
      environmentKeys: ["COPILOT_MCP_TOKEN", "COPILOT_MCP_KEY"],
    },
    { name: "web", type: "streamable_http", url: "https://example.com/mcp", allow: ["find"] },
  ]);
  expect(definition.diagnostics).toMatchObject([{ code: "server-invalid", line: 12 }]);
});

test("fields without effect are findings whose severity depends on the loss", () => {
  const header = `description: d
target: vscode
argument-hint: what to plan
user-invocable: false
disable-model-invocation: true
handoffs: [{ label: Go, agent: implementer, prompt: Go. }]`;
  const found = parse(header).diagnostics.map(({ line, severity }) => `${line} ${severity}`);
  expect(found.sort()).toEqual(["3 info", "4 info", "5 info", "6 warning", "7 warning"]);
  expect(parse("description: d\ninfer: true").diagnostics).toEqual([]);
  expect(parse("description: d\ninfer: false").diagnostics).toHaveLength(1);
});

test("a file without frontmatter is an agent only if its name says so", () => {
  const at = (name: string) =>
    parseCopilot({ path: `/p/.github/agents/${name}`, text: "Plan it.", scope: "project" });
  expect(at("planner.agent.md")).toMatchObject({ name: "planner", systemPrompt: "Plan it." });
  expect(at("notes.md")).toBeNull();
});
