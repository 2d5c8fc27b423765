import { describe, expect, test } from "vitest";
import { hasError } from "../../source/diagnostic.ts";
import type { AgentDefinition } from "../definition/agent.ts";
import { findTextFormat } from "../find-format.ts";

const markdown = ["cadre", "acai", "claude", "opencode", "copilot", "gemini", "cursor"] as const;

function parse(format: string, lines: string): AgentDefinition {
  const text =
    format === "codex"
      ? `name = "a"\ndescription = "d"\ndeveloper_instructions = "i"\n${lines}\n`
      : `---\nname: a\ndescription: d\n${lines}\n---\nBody.`;
  const path = format === "codex" ? "/p/.codex/agents/a.toml" : "/p/a.md";
  const definition = findTextFormat(format).parse({ path, text, scope: "project" });
  if (definition === null) throw new Error("expected a definition");
  return definition;
}

function errors({ diagnostics }: AgentDefinition): string[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, line, column }) => `${line}:${column} ${code}`);
}

describe.each(markdown)("in a file of %s", (format) => {
  test("a denied tool is denied under every key", () => {
    for (const key of ["disallowedTools", "disallowed_tools", "denied-tools", "blocked_tools"]) {
      const definition = parse(format, `${key}: [Bash, WebFetch]`);
      expect(definition.disallowedTools, key).toEqual(["Bash", "WebFetch"]);
      expect(errors(definition), key).toEqual([]);
    }
  });

  test("a list of tools below another key restricts, unless there is one of its own", () => {
    const nested = "capabilities:\n  allowed_tools: [Read, Bash]\n  restricted_tools:\n    - Bash";
    const definition = parse(format, nested);
    expect(definition).toMatchObject({ tools: ["Read", "Bash"], disallowedTools: ["Bash"] });
    const found = definition.diagnostics.map(({ code, line }) => `${line} ${code}`);
    expect(found).toEqual(expect.arrayContaining(["5 key-meant", "6 key-meant"]));
    expect(parse(format, `${nested}\ntools: [Grep]`).tools).toEqual(["Grep"]);
    expect(parse(format, "metadata: { tools: [jest] }")).not.toHaveProperty("tools");
    expect(parse(format, "capabilities: { allowed_tools: [Frob] }").tools).toEqual([
      "mcp__Frob__*",
    ]);
  });

  test("read-only holds under every key", () => {
    for (const line of ["sandbox: read-only", "access: readonly", "permission_level: Read Only"]) {
      const definition = parse(format, line);
      expect(definition.permissionMode, line).toBe("read-only");
      expect(definition.diagnostics).toMatchObject([{ code: "key-meant", line: 4 }]);
    }
    expect(parse(format, "access: read-write")).not.toHaveProperty("permissionMode");
  });

  test("a list of tools that names denied ones grants none", () => {
    for (const tools of [
      "All tools except Edit, Write",
      "All tools (except Edit, Write)",
      "'*', '!Bash'",
      "['*', -Bash]",
    ]) {
      const definition = parse(format, `tools: ${tools}`);
      expect(definition.tools, tools).toEqual([]);
      expect(errors(definition).join(), tools).toContain("tools-negated");
    }
    expect(parse(format, "tools: mcp__x__run-without-cache").tools).toHaveLength(1);
    expect(parse(format, "tools: none").tools).toEqual([]);
    expect(errors(parse(format, "tools: none"))).toEqual([]);
  });

  test("an agent that is turned off is off", () => {
    if (format !== "acai") expect(parse(format, "disabled: true").disabled).toBe(true);
  });

  test("a file that declares itself read-only cannot write", () => {
    for (const key of ["readonly", "read_only", "read-only"]) {
      expect(parse(format, `${key}: true`).permissionMode, key).toBe("read-only");
    }
    expect(parse(format, "readonly: false")).not.toHaveProperty("permissionMode");
    expect(errors(parse(format, "readonly: surely"))).toEqual(["4:1 wrong-type"]);
  });

  test("an invalid restriction is an error", () => {
    for (const [lines, found] of [
      ["tools: [Read]\ntools: [Bash]", "5:1 duplicate-key"],
      ["disallowedTools: Bash\nDisallowedTools: Write", "5:1 duplicate-key"],
      ["tool: Read", "4:1 unknown-key"],
      ["dissallowedTools: Bash", "4:1 unknown-key"],
      ["<<: { tools: Read }", "4:1 merge-key"],
      ["  tools: Read", "4:3 key-swallowed"],
      ["- tools: Read", "4:1 key-swallowed"],
      ["disallowedTools: Bsah", "4:1 unknown-tool"],
    ] as const) {
      expect(errors(parse(format, lines)), lines).toContain(found);
    }
  });

  test("a list that is too long is refused quickly", () => {
    for (const tools of ["a,".repeat(20_000), "Read ".repeat(10_000), "x(".repeat(20_000)]) {
      const definition = parse(format, `tools: "${tools}"`);
      expect(hasError(definition.diagnostics)).toBe(true);
      expect(definition.tools).toEqual([]);
      expect(definition.diagnostics.length).toBeLessThan(5);
    }
  });
});

test("in TOML, too, a restriction holds under every key", () => {
  const definition = parse("codex", 'disallowed_tools = ["shell"]\nread_only = true');
  expect(definition).toMatchObject({ disallowedTools: ["Bash"], permissionMode: "read-only" });
  expect(parse("codex", 'access = "read-only"').permissionMode).toBe("read-only");
  expect(parse("codex", '[capabilities]\nallowed_tools = ["Read"]').tools).toEqual(["Read"]);
  expect(errors(parse("codex", 'tool = ["Read"]'))).toEqual(["4:1 unknown-key"]);
});

test("an indented key in the examples of a description is not a duplicate", () => {
  const lines = "description: |\n  Use it: always.\n  tools: Bash\ntools: Read";
  expect(parse("claude", lines).tools).toEqual(["Read"]);
});

test("each suggestion names the usual spelling", () => {
  const fixes = parse("claude", "alowedTools: Read\npermissionMode: Plan").diagnostics.map(
    ({ fix }) => fix,
  );
  expect(fixes).toEqual(["Write `tools`, or remove it.", "Write `permissionMode: plan`"]);
});

test("parentheses that a list's commas split are joined again", () => {
  const definition = parse("claude", "tools: [Agent(worker, tester), Read, Bash(git:*, npm test)]");
  expect(definition).toMatchObject({
    tools: ["Agent", "Read", "Bash"],
    agents: ["worker", "tester"],
    diagnostics: [],
  });
  expect(definition.permissions?.ordered).toHaveLength(3);
  expect(parse("claude", "tools: [Bash(git, Read]").tools).toEqual(["Bash", "Read"]);
});

test("both words for every tool are understood if they stand alone", () => {
  for (const tools of ["All tools", "inherit"]) {
    expect(parse("claude", `tools: ${tools}`)).not.toHaveProperty("tools");
    expect(parse("claude", `tools: Read ${tools}`).tools).toEqual([]);
  }
});

test("a name that is a number keeps its digits", () => {
  expect(parse("claude", "model: 12345678901234567890").model).toBe("12345678901234567890");
});
