import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { type CodexRole, parseCodex } from "./codex.ts";

function parse(text: string, role?: CodexRole): AgentDefinition {
  return parseCodex({ path: "/p/.codex/agents/reviewer.toml", text, scope: "project" }, role);
}

const minimal = `name = "pr_reviewer"
description = "Reviews."
developer_instructions = """
Review like an owner.
"""
`;

test("every field is read, and read-only is the mode", () => {
  const definition = parse(`${minimal}
model = "gpt-5.4"
model_reasoning_effort = "high"
sandbox_mode = "read-only"
nickname_candidates = ["Ada"]

[mcp_servers.docs]
url = "https://example.com/mcp"
bearer_token_env_var = "DOCS_TOKEN"
enabled_tools = ["search"]
tool_timeout_sec = 20

[mcp_servers.files]
command = "npx"
args = ["-y", "server"]
env = { MODE = "fast" }
env_vars = ["KEY"]
`);
  expect(definition).toMatchObject({
    name: "pr_reviewer",
    description: "Reviews.",
    systemPrompt: "Review like an owner.",
    model: "openai:gpt-5.4",
    effort: "high",
    permissionMode: "read-only",
    extensions: [
      {
        name: "docs",
        type: "streamable_http",
        url: "https://example.com/mcp",
        headers: { Authorization: "Bearer ${DOCS_TOKEN}" },
        timeoutSeconds: 20,
        allow: ["search"],
        environmentKeys: ["DOCS_TOKEN"],
      },
      {
        name: "files",
        type: "stdio",
        command: "npx",
        args: ["-y", "server"],
        environment: { MODE: "fast" },
        environmentKeys: ["KEY"],
      },
    ],
    lines: { name: 1, description: 2, systemPrompt: 3, model: 7 },
  });
  expect(definition.diagnostics.map(({ severity }) => severity)).toEqual(["info"]);
});

test("unset fields are the parent's", () => {
  const definition = parse(minimal);
  expect(definition.diagnostics).toEqual([]);
  for (const field of ["model", "effort", "permissionMode", "tools", "extensions"]) {
    expect(definition, field).not.toHaveProperty(field);
  }
});

test.each([
  ["workspace-write", []],
  ["danger-full-access", ["unsupported-field"]],
  ["read_only", ["wrong-value"]],
])("the sandbox %s gives nothing more than the parent has", (mode, codes) => {
  const definition = parse(`${minimal}sandbox_mode = "${mode}"\n`);
  expect(definition).not.toHaveProperty("permissionMode");
  expect(definition.diagnostics.map(({ code }) => code)).toEqual(codes);
});

test("a model of another provider names it", () => {
  const text = `${minimal}model = "llama3"\nmodel_provider = "ollama"\n`;
  expect(parse(text).model).toBe("ollama:llama3");
});

test("invalid TOML is an error with its place and a fix, and the agent keeps the file's name", () => {
  const definition = parse('name = "a"\ndescription = unquoted text\n');
  expect(definition).toMatchObject({
    name: "reviewer",
    diagnostics: [{ severity: "error", code: "toml-invalid", line: 2, column: 15 }],
  });
  expect(definition.diagnostics[0]?.fix).toContain("quotes");
});

test("name, description and instructions are required, and each error says how to write them", () => {
  const found = parse('model = "gpt-5"\n').diagnostics;
  expect(found.map(({ code }) => code)).toEqual([
    "name-missing",
    "description-missing",
    "instructions-missing",
  ]);
  for (const { fix } of found) expect(fix).toMatch(/^Write `\w+ = "/);
});

test("the values of config.toml fill in those that the role's file does not set", () => {
  const text = 'developer_instructions = "Go."\ndescription = "The file\'s."\n';
  expect(parse(text, { name: "scout", description: "The role's." })).toMatchObject({
    name: "scout",
    description: "The file's.",
    diagnostics: [],
  });
});

test("instructions in a table of the same name are read, with a warning", () => {
  const text = 'name = "a"\ndescription = "d"\n[instructions]\ntext = "Go."\n';
  expect(parse(text)).toMatchObject({ systemPrompt: "Go.", diagnostics: [{ code: "key-case" }] });
});

test("a key of the agent below a table, where it would have no effect, is an error with its place", () => {
  const text = `${minimal}
[mcp_servers.docs]
url = "https://example.com/mcp"
sandbox_mode = "read-only"
`;
  expect(parse(text).diagnostics).toContainEqual(
    expect.objectContaining({ severity: "error", code: "key-swallowed", line: 9, column: 1 }),
  );
  const late = `name = "a"\ndescription = "d"\n[skills.config]\ndeveloper_instructions = "Go."\n`;
  expect(parse(late).diagnostics.map(({ code, line }) => `${line} ${code}`)).toContain(
    "4 key-swallowed",
  );
});

test("settings of Codex have no effect on the agent", () => {
  const text = `${minimal}web_search = "live"
[sandbox_workspace_write]
network_access = true
[features]
x = true
[skills.config]
y = 1
`;
  const found = parse(text).diagnostics.map(({ code, line }) => `${line} ${code}`);
  expect(found.sort()).toEqual([6, 7, 9, 11].map((line) => `${line} unsupported-field`).sort());
});

test("a server that is only enabled refers to the configured one", () => {
  const text = `${minimal}[mcp_servers.docs]\nenabled = true\n`;
  expect(parse(text)).toMatchObject({ extensions: ["docs"], diagnostics: [] });
  const broken = parse(`${minimal}[mcp_servers.docs]\nenabled_tools = ["x"]\n`).diagnostics;
  expect(broken[0]?.fix).toContain("`[mcp_servers.NAME]`");
});
