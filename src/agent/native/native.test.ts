import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasError } from "../../source/diagnostic.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseNative } from "./native.ts";

function parse(header: string, name = "helper"): AgentDefinition {
  const text = `---\n${header}\n---\n\nDo {{task}}.\n`;
  return parseNative({ path: `/p/.cadre/agents/${name}.md`, text, scope: "project" });
}

function codes({ diagnostics }: AgentDefinition): string[] {
  return diagnostics.map(({ severity, code, line }) => `${line} ${severity} ${code}`);
}

const minimal = "name: helper\ndescription: Helps.";

test("the required fields are enough, everything else has its default", () => {
  expect(parse(minimal)).toEqual({
    name: "helper",
    description: "Helps.",
    systemPrompt: "Do {{task}}.",
    timeoutSeconds: 300,
    source: { format: "cadre", scope: "project", path: "/p/.cadre/agents/helper.md" },
    diagnostics: [],
    lines: { name: 2, description: 3, systemPrompt: 6 },
  });
});

test("every field is read in snake_case and in camelCase", () => {
  const expected = {
    model: "anthropic:sonnet",
    temperature: 0.2,
    effort: "high",
    maxTurns: 7,
    timeoutSeconds: 60,
    tools: ["Read", "Bash"],
    disallowedTools: ["Write"],
    agents: ["a", "b"],
    extensions: ["git"],
    skills: ["x"],
    permissionMode: "plan",
    isolation: "worktree",
    background: true,
    cache: true,
    maxDepth: 0,
    budget: { tokens: 10, wallSeconds: 5 },
    inputSchema: { type: "string" },
    outputSchema: { type: "object" },
  };
  const snake = parse(`${minimal}
model: anthropic:sonnet
temperature: 0.2
effort: high
max_turns: 7
timeout_seconds: 60
tools: Read, Bash
disallowed_tools: [Write]
agents: a, b
extensions: [git]
skills: x
permission_mode: plan
isolation: worktree
background: true
cache: true
max_depth: 0
budget: { tokens: 10, wall_seconds: 5 }
input_schema: { type: string }
output_schema: { type: object }`);
  const camel = parse(`${minimal}
model: anthropic:sonnet
temperature: 0.2
effort: high
maxTurns: 7
timeoutSeconds: 60
tools: [Read, Bash]
disallowedTools: Write
agents: [a, b]
extensions: git
skills: [x]
permissionMode: plan
isolation: worktree
background: "true"
cache: "true"
maxDepth: 0
budget: { tokens: 10, wallSeconds: 5 }
inputSchema: { type: string }
outputSchema: { type: object }`);
  expect(snake).toMatchObject(expected);
  expect(camel).toMatchObject(expected);
  expect([...snake.diagnostics, ...camel.diagnostics]).toEqual([]);
});

test("the name must have a valid form and be the file's", () => {
  expect(codes(parse("name: other\ndescription: x"))).toEqual(["2 error name-mismatch"]);
  for (const name of ["Helper", "a--b", "-a", "a-", "a_b", "a".repeat(65)]) {
    expect(codes(parse(`name: ${name}\ndescription: x`)), name).toEqual(["2 error name-invalid"]);
  }
  const longest = "a".repeat(64);
  expect(codes(parse(`name: ${longest}\ndescription: x`, longest))).toEqual([]);
});

test("a definition without a name is listed under its file's", () => {
  const definition = parse("description: x");
  expect(definition.name).toBe("helper");
  expect(codes(definition)).toEqual(["2 error name-missing"]);
});

test("the description is required and its length limited", () => {
  expect(codes(parse("name: helper"))).toEqual(["2 error description-missing"]);
  expect(codes(parse(`name: helper\ndescription: ${"x".repeat(1024)}`))).toEqual([]);
  expect(codes(parse(`name: helper\ndescription: ${"x".repeat(1025)}`))).toEqual([
    "3 error description-too-long",
  ]);
});

test("inherit and an empty value mean the parent's model", () => {
  expect(parse(`${minimal}\nmodel: inherit`)).not.toHaveProperty("model");
  const empty = parse(`${minimal}\nmodel:`);
  expect(empty).not.toHaveProperty("model");
  expect(codes(empty)).toEqual(["4 warning empty-field"]);
});

test("the time limit lies between one second and an hour", () => {
  expect(parse(`${minimal}\ntimeout: 3600`).timeoutSeconds).toBe(3600);
  expect(parse(`${minimal}\ntimeout: "60"`).timeoutSeconds).toBe(60);
  for (const wrong of ["0", "3601", "-1", "soon", "[1]", ".nan"]) {
    expect(codes(parse(`${minimal}\ntimeout: ${wrong}`)), wrong).toEqual(["4 error wrong-type"]);
  }
});

test("unknown keys are kept and reported with the nearest known one, keys in another case are read", () => {
  const definition = parse(`${minimal}\nmax_tuns: 3\nTools: Read\nowner: me`);
  expect(definition).toMatchObject({ extra: { max_tuns: 3, owner: "me" }, tools: ["Read"] });
  expect(codes(definition)).toEqual([
    "4 warning unknown-key",
    "5 warning key-case",
    "6 warning unknown-key",
  ]);
  expect(definition.diagnostics[0]?.message).toContain("`max_turns`");
});

test("two spellings of a field are a warning, and the later one counts", () => {
  const definition = parse(`${minimal}\nmax_turns: 3\nmaxTurns: 4`);
  expect(definition.maxTurns).toBe(4);
  expect(codes(definition)).toEqual(["5 warning duplicate-key"]);
});

test("wrong words and wrong types are errors that name the expected ones", () => {
  const definition = parse(
    `${minimal}\npermission_mode: yolo\nbackground: maybe\nbudget: { dollars: 1 }\ntools: 5`,
  );
  expect(codes(definition).sort()).toEqual([
    "4 error wrong-value",
    "5 error wrong-type",
    "6 error unknown-key",
    "7 error wrong-type",
  ]);
  const mode = definition.diagnostics.find(({ code }) => code === "wrong-value");
  expect(mode?.message).toContain("plan, read-only, deny, ask, accept-edits, auto");
});

test("a misspelled tool is a warning, and a list without a known tool never means every tool", () => {
  const some = parse(`${minimal}\ntools: Raed, Grep`);
  expect(some.tools).toEqual(["mcp__Raed__*", "Grep"]);
  expect(some.diagnostics).toMatchObject([{ severity: "warning", code: "unknown-tool" }]);
  expect(some.diagnostics[0]?.message).toContain("`Read`");
  const none = parse(`${minimal}\ntools: NotebookEdit, SlashCommand`);
  expect(none.tools).toEqual([]);
  expect(hasError(none.diagnostics)).toBe(false);
});

test("an empty list means no tools, a star all of them", () => {
  const none = parse(`${minimal}\ntools: []`);
  expect(none.tools).toEqual([]);
  expect(none.diagnostics).toEqual([]);
  expect(parse(`${minimal}\ntools: "*"`)).not.toHaveProperty("tools");
  expect(parse(`${minimal}\ntools: *`)).not.toHaveProperty("tools");
});

test("denying to delegate denies every tool that delegates", () => {
  const { disallowedTools } = parse(`${minimal}\ndisallowed_tools: Task, Write`);
  expect(disallowedTools).toEqual(["Agent", "Subagent", "sessions_spawn", "Write"]);
});

test("permission rules are read, and an invalid one is an error with its place", () => {
  const header = `${minimal}
tools: Bash(git:*)
permissions:
  deny: ["Read(.env)"]
  ordered: [{ ask: "Bash(git push:*)" }]`;
  expect(parse(header)).toMatchObject({
    permissions: {
      allow: [],
      ask: [],
      deny: ["Read(.env)"],
      ordered: [
        { decision: "deny", rule: "Bash" },
        { decision: "allow", rule: "Bash(git:*)" },
        { decision: "ask", rule: "Bash(git push:*)" },
      ],
    },
    diagnostics: [],
  });
  const wrong = `${minimal}\npermissions:\n  denied: [Bash]\n  deny: ["Bahs(rm)"]\n  ordered: [Bash]`;
  expect(codes(parse(wrong))).toEqual([
    "5 error unknown-key",
    "6 error rule-invalid",
    "7 error wrong-type",
  ]);
});

test("extensions are names or configurations of servers", () => {
  const definition = parse(`${minimal}
extensions:
  - git
  - files: { command: [npx, -y, server], env: { KEY: "\${KEY}", A: b }, timeout_seconds: 9, deny: [rm] }`);
  expect(definition.extensions).toEqual([
    "git",
    {
      name: "files",
      type: "stdio",
      command: "npx",
      args: ["-y", "server"],
      environment: { A: "b" },
      timeoutSeconds: 9,
      deny: ["rm"],
      environmentKeys: ["KEY"],
    },
  ]);
  expect(definition.diagnostics).toEqual([]);
});

test("a file without frontmatter is an error and still has a name", () => {
  const definition = parseNative({ path: "/p/notes.md", text: "# Notes\n", scope: "project" });
  expect(definition.name).toBe("notes");
  expect(codes(definition)).toEqual(["1 error frontmatter-missing"]);
});

test("the agents that `cadre init` writes have no findings", () => {
  const folder = new URL("../../config/template/agents/", import.meta.url);
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(["code-reviewer.md", "researcher.md", "test-writer.md"]);
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), "utf8");
    expect(parseNative({ path: `/p/${file}`, text, scope: "project" }).diagnostics, file).toEqual(
      [],
    );
  }
});
