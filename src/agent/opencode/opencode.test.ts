import { homedir } from "node:os";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseOpenCode } from "./opencode.ts";

function parse(header: string, path = "/p/.opencode/agents/review.md"): AgentDefinition {
  const text = `---\ndescription: Reviews.\n${header}\n---\n\nReview it.\n`;
  const definition = parseOpenCode({ path, text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

function rules(header: string): string[] {
  const ordered = parse(header).permissions?.ordered ?? [];
  return ordered.map(({ decision, rule }) => `${decision} ${rule}`);
}

test("the fields of the older generation are read", () => {
  const definition = parse(
    "mode: subagent\nmodel: anthropic/claude-sonnet-4-20250514\ntemperature: 0.1\nmaxSteps: 5\nreasoningEffort: low",
  );
  expect(definition).toMatchObject({
    name: "review",
    description: "Reviews.",
    systemPrompt: "Review it.",
    model: "anthropic:claude-sonnet-4-20250514",
    temperature: 0.1,
    maxTurns: 5,
    effort: "low",
    diagnostics: [],
  });
  expect(definition).not.toHaveProperty("tools");
  expect(definition).not.toHaveProperty("permissions");
});

test("the fields of the newer generation are read", () => {
  const definition = parse(
    'mode: subagent\nmodel: openrouter/anthropic/claude-opus-4.5#high\nsteps: 8\ncolor: "#ff6b6b"',
  );
  expect(definition).toMatchObject({
    model: "openrouter:anthropic/claude-opus-4.5",
    effort: "high",
    maxTurns: 8,
    diagnostics: [{ severity: "info", line: 6 }],
  });
});

test("folders below the agent folder are part of the name", () => {
  expect(parse("mode: all", "/p/.opencode/agent/team/review.md").name).toBe("team/review");
  expect(parse("", "/home/me/.config/opencode/agents/x/y.md").name).toBe("x/y");
  expect(parse("name: other", "/p/.opencode/agent/team/review.md").name).toBe("other");
});

test.each(["disable", "disabled"])("%s keeps the agent from being used", (key) => {
  expect(parse(`${key}: true`)).toMatchObject({
    disabled: true,
    diagnostics: [{ severity: "info", code: "agent-disabled", line: 3 }],
  });
  expect(parse(`${key}: false`)).not.toHaveProperty("disabled");
});

test("a map of tools denies those that are off", () => {
  expect(parse("tools: { write: false, edit: false, bash: false }").disallowedTools).toEqual([
    "Edit",
    "Write",
    "Bash",
  ]);
  expect(parse("tools: { write: false }").disallowedTools).toEqual(["Edit", "Write"]);
  expect(parse("tools: { write: false, edit: true }").disallowedTools).toEqual(["Write"]);
  expect(parse("tools: { Bash: false }").disallowedTools).toEqual(["Bash"]);
  expect(parse("tools: { task: false }").disallowedTools).toEqual([
    "Agent",
    "Subagent",
    "sessions_spawn",
  ]);
  expect(parse("tools: { write: true }")).not.toHaveProperty("tools");
});

test("a map that turns everything off and some on is an allow list", () => {
  expect(parse('tools: { "*": false, read: true, grep: true }').tools).toEqual([
    "Read",
    "Grep",
    "LS",
    "DirectoryTree",
  ]);
  expect(parse('permission: { "*": deny }').tools).toEqual([]);
});

test("a tool denied by name stays denied wherever the star stands, and a later star denies too", () => {
  expect(parse('permission: { edit: deny, "*": allow }').disallowedTools).toEqual([
    "Edit",
    "Write",
  ]);
  expect(parse('permission: { edit: allow, "*": deny }').tools).toEqual([]);
  expect(parse('tools: { edit: true, "*": false }\npermission: { edit: allow }').tools).toEqual([]);
});

test("the last switch for editing counts, and each one that is off also denies its own tool", () => {
  const denied = (tools: string): unknown => parse(`tools: { ${tools} }`).disallowedTools;
  expect(denied("edit: true, write: false")).toEqual(["Edit", "Write"]);
  expect(denied("edit: false, write: true")).toEqual(["Edit", "Write"]);
  expect(denied("patch: false, edit: true")).toEqual(["Edit"]);
  expect(parse('tools: { "*": false, write: true }').tools).toEqual(["Edit", "Write"]);
});

test("an action without effect in OpenCode has none here, with a finding", () => {
  const definition = parse('permission:\n  "*": deny\n  read: allow\n  write: allow');
  expect(definition.tools).toEqual(["Read", "LS", "DirectoryTree"]);
  expect(definition.diagnostics).toMatchObject([{ code: "action-without-effect", line: 6 }]);
  expect(parse("permission: { edit: allow, write: allow }").diagnostics).toEqual([]);
});

test("a pattern about the searched text limits every search", () => {
  const definition = parse('permission: { grep: { "*": allow, "*token*": deny } }');
  expect(definition).toMatchObject({
    disallowedTools: ["Grep"],
    diagnostics: [{ code: "pattern-unsupported", severity: "warning" }],
  });
  const where = 'permission: { grep: { "*": allow, "exports/**": deny } }';
  expect(rules(where)).toEqual(["deny Grep(exports/**)"]);
  expect(parse(where).diagnostics).toEqual([]);
});

test("another program's name of a tool can deny it, and grants nothing", () => {
  expect(parse("permission: { web: deny, write_file: deny }").disallowedTools).toEqual([
    "Write",
    "WebFetch",
  ]);
  expect(parse('permission: { "*": deny, read: allow, web: allow }').tools).toEqual([
    "Read",
    "LS",
    "DirectoryTree",
  ]);
});

test("patterns below an effect, in the wrong order, deny, and the fix reverses them", () => {
  const definition = parse('permission: { bash: { deny: ["git add*"], allow: ["*"] } }');
  expect(rules('permission: { bash: { deny: ["git add*"], allow: ["*"] } }')).not.toContain(
    expect.stringMatching(/^allow/),
  );
  expect(definition.diagnostics).toMatchObject([
    { severity: "error", fix: 'Write each pattern as a key: `"git add*": deny`.' },
    { severity: "error", fix: 'Write each pattern as a key: `"*": allow`.' },
  ]);
});

test("a writable part makes an action effective", () => {
  const header = 'permission: { edit: { "*": deny, "a/**": allow }, write: { "a/**": allow } }';
  expect(parse(header).diagnostics).toEqual([]);
});

test("a key in another case is another key, and does not override the right one", () => {
  expect(parse("permission: { bash: deny, Bash: allow }").disallowedTools).toEqual(["Bash"]);
  expect(parse("permission: { Bash: deny }").disallowedTools).toEqual(["Bash"]);
});

test("a star in a name also matches folders below, and only from there", () => {
  const [, , first, second] = rules('permission: { edit: { "*": deny, "src*": allow } }');
  expect([first, second]).toEqual(["allow Edit(src*)", "allow Edit(src*/**)"]);
  expect(rules('permission: { edit: { "*": deny, "**/a.md": allow } }')).toContain(
    "allow Edit(*/**/a.md)",
  );
  expect(rules('permission: { edit: { "**/a.md": deny } }')).toContain("deny Edit(**/a.md)");
});

test("tools of servers are recognized by the server's name", () => {
  expect(parse('tools: { "my-mcp_*": false }').disallowedTools).toEqual(["mcp__my-mcp_*"]);
  expect(parse('tools: { "*": false, mcp_context7: true }').tools).toEqual(["mcp__context7__*"]);
  expect(parse('tools: { "*": false, "github_*": true, github_push: false }')).toMatchObject({
    tools: ["mcp__github__*"],
    disallowedTools: ["mcp__github__push"],
  });
});

test("denied actions deny the tool, and ask actions need approval", () => {
  const header = "permission: { edit: deny, bash: ask, webfetch: deny }";
  expect(parse(header).disallowedTools).toEqual(["Edit", "Write", "WebFetch"]);
  expect(rules(header)).toEqual(["ask Bash"]);
  expect(rules("permission: ask")).toContain("ask mcp__*");
  expect(rules("permission: ask")).toContain("ask Write");
});

test("patterns keep their order, and a trailing star also matches the command alone", () => {
  const header = `permission:
  bash:
    "*": deny
    "git *": allow
    "git push *": ask
    "git push --force*": deny`;
  expect(rules(header)).toEqual([
    "deny Bash",
    "allow Bash(git:*)",
    "ask Bash(git push:*)",
    "deny Bash(git push --force*)",
  ]);
  expect(parse(header)).not.toHaveProperty("disallowedTools");
});

test("a star after all other rules overrides them", () => {
  const header = 'permission: { bash: { "git *": allow, "*": deny } }';
  expect(parse(header).disallowedTools).toEqual(["Bash"]);
  expect(rules(header)).toEqual([]);
});

test("paths match below folders as OpenCode's star does, and `~` is the home", () => {
  expect(rules('permission: { edit: { "*": deny, "docs/*.md": allow } }')).toEqual([
    "deny Edit",
    "deny Write",
    "allow Edit(docs/**/*.md)",
    "allow Write(docs/**/*.md)",
  ]);
  expect(rules('permission: { read: { "*.env": deny, "~/notes/*": allow } }')).toEqual(
    expect.arrayContaining(["deny Read(**/*.env)", `allow Read(${homedir()}/notes/**)`]),
  );
});

test("searching is limited like reading", () => {
  expect(rules('permission: { read: { "*": deny, "src/*": allow } }')).toEqual(
    expect.arrayContaining(["deny Read", "allow Read(src/**)", "allow Grep(src/**)"]),
  );
});

test("the newest generation has a list of rules, with actions of its own", () => {
  const header = `permissions:
  - { action: "*", resource: "*", effect: deny }
  - { action: read, resource: "src/**", effect: allow }
  - { action: shell, resource: "git status *", effect: allow }
  - { action: subagent, resource: reviewer, effect: allow }`;
  expect(parse(header)).toMatchObject({
    tools: ["Read", "Bash", "LS", "DirectoryTree", "Agent", "Subagent", "sessions_spawn"],
    agents: ["reviewer"],
    lines: { tools: 3, permissions: 3, agents: 3 },
  });
  expect(rules(header)).toEqual(
    expect.arrayContaining(["deny Read", "deny Bash", "allow Bash(git status:*)"]),
  );
});

test("the agents to delegate to are a list of names, or rules if there are patterns", () => {
  const named = parse('permission: { task: { "*": deny, reviewer: allow, tester: allow } }');
  expect(named).toMatchObject({ agents: ["reviewer", "tester"] });
  expect(named).not.toHaveProperty("permissions");
  expect(rules('permission: { task: { "*": deny, "team-*": allow } }')).toEqual([
    "deny Agent",
    "deny Subagent",
    "deny sessions_spawn",
    "allow Agent(team-*)",
    "allow Subagent(team-*)",
    "allow sessions_spawn(team-*)",
  ]);
});

test("an invalid effect denies, and is an error with its place", () => {
  const definition = parse("permission:\n  edit: no-way\n  bash: { 'rm *': never }");
  expect(definition.disallowedTools).toEqual(["Edit", "Write"]);
  expect(definition.permissions?.ordered).toEqual([{ decision: "deny", rule: "Bash(rm:*)" }]);
  expect(definition.diagnostics).toMatchObject([
    { severity: "error", code: "wrong-value", line: 4 },
    { severity: "error", code: "wrong-value", line: 5 },
  ]);
});

test("a list of tools, which OpenCode does not read, is an allow list with a warning", () => {
  const definition = parse("tools: [read, bash(git:*)]\npermission: { webfetch: deny }");
  expect(definition).toMatchObject({ tools: ["Read", "Bash"], disallowedTools: ["WebFetch"] });
  expect(definition.diagnostics.map(({ code }) => code)).toEqual(["tools-list"]);
});

test("the text below the frontmatter is used, or the instructions in the frontmatter if there is none", () => {
  expect(parse("prompt: Other.")).toMatchObject({
    systemPrompt: "Review it.",
    diagnostics: [{ code: "unsupported-field", line: 3 }],
  });
  const text = "---\ndescription: d\nprompt: Only here.\n---\n";
  const file = { path: "/p/.opencode/agent/a.md", text, scope: "project" } as const;
  expect(parseOpenCode(file)).toMatchObject({ systemPrompt: "Only here.", diagnostics: [] });
});

test("a file without frontmatter is an agent with every tool, as in OpenCode", () => {
  const text = "You write notes.\n";
  const file = { path: "/p/.opencode/agent/team/notes.md", text, scope: "project" } as const;
  const agent = parseOpenCode(file);
  expect(agent).toMatchObject({ name: "team/notes", description: "You write notes." });
  expect(agent?.systemPrompt).toBe("You write notes.");
  expect(agent?.tools).toBeUndefined();
});

test.each([
  "Here it is:\n---\nname: a\ndescription: d\npermission: deny\n---\nx\n",
  "----\npermission: deny\n----\nx\n",
  "```yaml\n---\ntools: { write: false }\n---\n```\nx\n",
  "tools:\n  write: false\n\nx\n",
])("restrictions outside of frontmatter make no agent that lacks them: %j", (text) => {
  const file = { path: "/p/.opencode/agent/a.md", text, scope: "project" } as const;
  expect(parseOpenCode(file)).toBeNull();
});
