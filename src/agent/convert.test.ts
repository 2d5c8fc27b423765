import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toolNames } from "../run/tool-names.ts";
import type { AgentDefinition } from "./definition/agent.ts";
import { createMainAgent } from "./definition/builtin.ts";
import { parseClaude } from "./claude/claude.ts";
import { effectsOf } from "./compare-effects.ts";
import { convertAgent } from "./convert.ts";
import { parseNative } from "./native/native.ts";
import { findTextFormat, textFormats } from "./find-format.ts";

const base: AgentDefinition = {
  name: "reviewer",
  description: "Reviews.",
  systemPrompt: "Review it.",
  timeoutSeconds: 300,
  source: { format: "cadre", scope: "project", path: "/p/.cadre/agents/reviewer.md" },
  diagnostics: [],
  lines: {},
};

function native(header: string): AgentDefinition {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function lostIn(definition: AgentDefinition, format: string): string[] {
  return [...new Set(convertAgent(definition, format).lost.map(({ field }) => field))];
}

const word = fc.constantFrom("a", "reviewer", "git-hub", "x1");
const prose = fc
  .string({ unit: fc.constantFrom(..."abc :#'\"\\{}[]|>-*&!%@`~,\n\té…".split("")), maxLength: 40 })
  .map((text) => `T${text}`);
const tool = fc.oneof(
  fc.constantFrom(...toolNames),
  fc.constantFrom("mcp__git__log", "mcp__git__*", "mcp__my_server__x", "mcp__*"),
);
const decision = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const rule = fc.constantFrom(
  "Bash",
  "Bash(git:*)",
  "Bash(npm test)",
  "Bash(rm *)",
  "Read",
  "Read(src/**)",
  "Grep(src/**)",
  "Edit",
  "Edit(docs/*.md)",
  "Write(docs/**)",
  "WebFetch(domain:a.b)",
  "Agent(team-*)",
  "mcp__git__*",
);
const rules = fc.array(rule, { maxLength: 2 });
const extension = fc.oneof(
  fc.constantFrom("git", "files"),
  fc.record(
    {
      name: word,
      type: fc.constant("stdio" as const),
      command: fc.constant("npx"),
      args: fc.array(fc.constantFrom("-y", "x y"), { maxLength: 2 }),
      environment: fc.constant({ MODE: "fast" }),
      environmentKeys: fc.constant(["KEY"]),
      timeoutSeconds: fc.constantFrom(5, 60),
      allow: fc.constant(["find*"]),
      deny: fc.constant(["rm"]),
    },
    { requiredKeys: ["name", "type", "command", "args"] },
  ),
  fc.record(
    {
      name: word,
      type: fc.constant("streamable_http" as const),
      url: fc.constant("https://example.com/mcp"),
      headers: fc.constant({ Authorization: "Bearer ${TOKEN}" }),
      environmentKeys: fc.constant(["TOKEN"]),
    },
    { requiredKeys: ["name", "type", "url", "headers", "environmentKeys"] },
  ),
);
const definitions = fc.record(
  {
    name: fc.oneof(word, fc.constantFrom("Code Reviewer", "code_reviewer", "team/reviewer")),
    description: prose,
    systemPrompt: prose,
    model: fc.constantFrom(
      "sonnet",
      "anthropic:claude-sonnet-4-5",
      "openai:gpt-5",
      "google:gemini-3-pro",
      "ollama:llama3:8b",
    ),
    temperature: fc.constantFrom(0, 0.5, 1),
    effort: fc.constantFrom("low" as const, "medium" as const, "high" as const),
    maxTurns: fc.constantFrom(1, 30, 50),
    timeoutSeconds: fc.constantFrom(1, 90, 300, 600, 5000),
    tools: fc.uniqueArray(tool, { maxLength: 6 }),
    disallowedTools: fc.uniqueArray(tool, { maxLength: 3 }),
    agents: fc.uniqueArray(word, { maxLength: 2 }),
    extensions: fc.uniqueArray(extension, {
      maxLength: 2,
      selector: (one) => (typeof one === "string" ? one : one.name),
    }),
    skills: fc.uniqueArray(word, { maxLength: 2 }),
    permissionMode: fc.constantFrom(
      "plan" as const,
      "ask" as const,
      "deny" as const,
      "auto" as const,
    ),
    permissions: fc.record({
      allow: rules,
      ask: rules,
      deny: rules,
      ordered: fc.array(fc.record({ decision, rule }), { maxLength: 4 }),
    }),
    isolation: fc.constant("worktree" as const),
    background: fc.boolean(),
    cache: fc.boolean(),
    maxDepth: fc.constantFrom(0, 2),
    budget: fc.constant({ tokens: 5, wallSeconds: 3 }),
    retry: fc.constant({ maxRetries: 2, checks: [{ type: "shell", command: "npm test" }] }),
    outputSchema: fc.constant({ type: "object" }),
    disabled: fc.boolean(),
  },
  { requiredKeys: ["name", "description", "systemPrompt", "timeoutSeconds"] },
);

test.each(textFormats)(
  "a definition converted to %s and read again is the same, except for the listed losses",
  (format) => {
    fc.assert(
      fc.property(definitions, (values) => {
        const definition: AgentDefinition = { ...base, ...values };
        const { path, text, lost } = convertAgent(definition, format);
        const again = findTextFormat(format).parse({ path: `/p/${path}`, text, scope: "project" });
        if (again === null) throw new Error(`expected an agent in:\n${text}`);
        const listed = new Set(lost.map(({ field }) => field));
        const [was, is] = [effectsOf(definition), effectsOf(again)];
        for (const field of Object.keys(was)) {
          if (!listed.has(field)) expect(is[field], `${field} of\n${text}`).toEqual(was[field]);
        }
        const errors = again.diagnostics.filter(({ severity }) => severity === "error");
        expect(
          errors.filter(({ code }) => !listed.has(code)),
          text,
        ).toEqual([]);
      }),
      { numRuns: 30 },
    );
  },
);

test("the native format loses only names and times outside its bounds", () => {
  fc.assert(
    fc.property(definitions, (values) => {
      // A denied `Agent` in a file denies every way to delegate.
      const denied = values.disallowedTools?.filter((one) => one !== "Agent");
      // An agent that may edit a file may read it.
      fc.pre(values.tools?.includes("Edit") !== true || values.tools.includes("Read"));
      const definition = { ...base, ...values, ...(denied && { disallowedTools: denied }) };
      const lost = lostIn(definition, "cadre");
      expect(lost.filter((field) => !["name", "timeoutSeconds"].includes(field))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test("fields that every format has are never lost", () => {
  const definition = {
    ...base,
    tools: ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "LS", "DirectoryTree"],
  };
  for (const format of ["cadre", "acai", "opencode"] as const) {
    expect(lostIn(definition, format), format).toEqual([]);
  }
  for (const format of [
    "cadre",
    "acai",
    "claude",
    "opencode",
    "copilot",
    "codex",
    "cursor",
  ] as const) {
    expect(lostIn(base, format), format).toEqual([]);
  }
  expect(lostIn(base, "gemini")).toEqual(["tools"]);
});

test("the native format loses no field it has", () => {
  const definition = native(`model: sonnet
temperature: 0.2
effort: high
max_turns: 7
timeout: 60
tools: Read, Bash(git:*), Agent, mcp__git__*
disallowed_tools: Bash(git push:*)
agents: [b]
extensions: [git, { files: { command: npx, args: [-y, "\${KEY}"], environment_keys: [KEY], allow: [x] } }]
skills: [s]
permission_mode: ask
isolation: worktree
background: true
max_depth: 1
budget: { tokens: 10, wall_seconds: 5, tool_calls: 3 }
input_schema: { type: string }
output_schema: { type: object }
permissions: { deny: ["Read(.env)"] }`);
  expect(definition.diagnostics).toEqual([]);
  expect(lostIn(definition, "cadre")).toEqual([]);
});

test("a tool list with patterns keeps them in formats that have patterns", () => {
  const definition = native(
    "tools: Read, Bash(git:*), Bash(npm test)\ndisallowed_tools: Bash(git push:*)",
  );
  for (const format of ["cadre", "claude"] as const) {
    const { text, lost } = convertAgent(definition, format);
    expect(text).toContain("  - Bash(git:*)\n  - Bash(npm test)\n");
    expect(text).toContain("  - Bash(git push:*)\n");
    expect(lost).toEqual([]);
  }
});

describe("a limit on a tool", () => {
  const definition = native("tools: Read, Grep, Glob, LS, DirectoryTree, Bash(git status:*)");

  test("is a map of patterns in OpenCode", () => {
    const { text, lost } = convertAgent(definition, "opencode");
    expect(text).toContain('  bash:\n    "*": deny\n    git status *: allow\n');
    expect(lost).toEqual([]);
  });

  test("is lost in formats without it, and the tool is left out where possible", () => {
    for (const format of ["acai", "copilot", "gemini"] as const) {
      const { text, lost } = convertAgent(definition, format);
      expect(text, format).not.toMatch(/Bash|execute|shell/);
      expect(lost.map(({ message }) => message).join(), format).toContain("Bash, which patterns");
    }
    for (const format of ["codex", "cursor"] as const) {
      const { lost } = convertAgent(definition, format);
      const gains = lost.filter(({ isGain }) => isGain === true).map(({ field }) => field);
      expect(gains, format).toContain("permissions");
    }
  });
});

test("an agent that only reads is marked as read-only in formats without a list of tools", () => {
  const definition = native("tools: Read, Grep");
  expect(convertAgent(definition, "cursor").text).toContain("readonly: true");
  expect(convertAgent(definition, "codex").text).toContain('sandbox_mode = "read-only"');
  expect(convertAgent(native("tools: Read, Bash"), "cursor").text).not.toContain("readonly");
  const { lost } = convertAgent(definition, "cursor");
  expect(lost.find(({ isGain }) => isGain === true)?.message).toContain("Bash");
});

test("denied tools become a list of all others in formats that only have a list", () => {
  const { text, lost } = convertAgent(native("disallowed_tools: [Bash, Write, Edit]"), "gemini");
  expect(text).toContain("  - read_file\n");
  expect(text).not.toMatch(/run_shell_command|write_file|replace/);
  expect(lost.filter(({ isGain }) => isGain === true)).toEqual([]);
});

test("defaults that differ are written explicitly", () => {
  const { text, lost } = convertAgent(native("max_depth: 0"), "gemini");
  expect(text).toContain("max_turns: 50\ntimeout_mins: 5\n");
  expect(lost).toEqual([]);
});

test("names and descriptions that a format does not allow are adapted and listed", () => {
  const long = { ...base, name: "Code Reviewer", description: "x".repeat(2000) };
  const { path, text, lost } = convertAgent(long, "cadre");
  expect(path).toBe(".cadre/agents/code-reviewer.md");
  expect(text).toContain("name: code-reviewer\n");
  expect(lost.map(({ field }) => field)).toEqual(["name", "description"]);
});

test("any instructions are written for Codex unchanged", () => {
  const plain = { ...base, systemPrompt: 'A \\ and """ and\nmore' };
  expect(convertAgent(plain, "codex").text).toContain(
    "developer_instructions = '''\nA \\ and \"\"\" and\nmore\n'''",
  );
  for (const systemPrompt of ["with ''' in it", "bell \u0007", "ends with '"]) {
    expect(convertAgent({ ...base, systemPrompt }, "codex").lost, systemPrompt).toEqual([]);
  }
});

test("unknown keys and a placeholder that is not replaced are listed", () => {
  const definition = { ...native("owner: me"), systemPrompt: "Do {{task}}." };
  expect(lostIn(definition, "claude")).toEqual(["extra", "systemPrompt"]);
  expect(lostIn(definition, "acai")).toEqual(["extra"]);
});

test("the built-in agent can be converted, definitions that are more than a prompt cannot", () => {
  expect(convertAgent(createMainAgent(), "claude").text).toContain("name: main\n");
  for (const [format, kind] of [
    ["program", "a program; code"],
    ["aip", "an .aip file; its code"],
    ["recipe", "a recipe; recipes"],
    ["prompt", "a prompt file; pipelines"],
  ] as const) {
    const source = { format, scope: "project", path: "/p/a" } as const;
    expect(() => convertAgent({ ...base, source }, "claude")).toThrow(
      `is ${kind} cannot be converted`,
    );
  }
});

test("a file of Claude Code is converted to every other format and back", () => {
  const text =
    "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep, Glob\nmodel: claude-sonnet-4-5\n---\n\nReview.\n";
  const file = { path: "/p/.claude/agents/reviewer.md", text, scope: "project" } as const;
  const definition = parseClaude(file);
  if (definition === null) throw new Error("expected a definition");
  expect(convertAgent(definition, "claude").lost).toEqual([]);
  expect(convertAgent(definition, "opencode").lost).toEqual([]);
  expect(convertAgent(definition, "copilot").lost).toEqual([]);
  expect(lostIn(definition, "gemini")).toEqual(["model"]);
});
