import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agent/definition/agent.ts";
import { findTextFormat, textFormats } from "../../src/agent/find-format.ts";
import { selectTools } from "../../src/engine/tool-call/select-tools.ts";
import { toolNames } from "../../src/run/tool-names.ts";
import { hasError } from "../../src/source/diagnostic.ts";
import { decide } from "../../src/tool/permission/permission.ts";
import type { ToolAccess } from "../../src/tool/tool.ts";
import { createTestTool } from "../fixtures/engine-fixture.ts";
import { anyCharacter } from "../any-character.ts";
import { samples } from "../is-long.ts";

const servers = ["mcp__git__log", "mcp__git__push", "mcp__web__get", "mcp__a_b__c"];
const offered = [...toolNames, ...servers].map((name) => createTestTool(name, () => ""));
const everything = offered.map(({ name }) => name);

/** The meaning of each name to a human reader, written by hand: the oracle. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  Read: ["Read"],
  READ: ["Read"],
  read_file: ["Read"],
  Edit: ["Edit"],
  edit: ["Edit", "Write"],
  Write: ["Write"],
  Bash: ["Bash"],
  run_shell_command: ["Bash"],
  "execute/runInTerminal": ["Bash"],
  Grep: ["Grep"],
  search: ["Grep", "Glob"],
  WebFetch: ["WebFetch"],
  WebSearch: ["WebSearch"],
  todo: ["TodoWrite"],
  NotebookEdit: [],
  LSP: [],
  Frobnicate: [],
  "💥": [],
  Task: ["Agent"],
  mcp__git__log: ["mcp__git__log"],
  "mcp__git__*": ["mcp__git__log", "mcp__git__push"],
  "git/*": ["mcp__git__log", "mcp__git__push"],
  "Bash(git:*)": ["Bash"],
  "Bash(git log:*)": ["Bash"],
  "*": everything,
};
const delegating = ["Agent", "Subagent", "sessions_spawn"];

/** Ways to write a list, correct or not. */
const styles: Readonly<Record<string, (key: string, names: readonly string[]) => string>> = {
  commas: (key, names) => `${key}: ${names.join(", ")}`,
  tight: (key, names) => `${key}:${names.join(",")}`,
  quoted: (key, names) => `${key}: "${names.join(", ")}"`,
  flow: (key, names) => `${key}: [${names.join(", ")}]`,
  flowQuoted: (key, names) => `${key}: [${names.map((name) => `'${name}'`).join(",")}]`,
  unclosed: (key, names) => `${key}: [${names.join(", ")}`,
  block: (key, names) => `${key}:\n${names.map((name) => `  - ${name}`).join("\n")}`,
  flat: (key, names) => `${key}:\n${names.map((name) => `- "${name}"`).join("\n")}`,
  stars: (key, names) => `${key}:\n${names.map((name) => `  * ${name}`).join("\n")}`,
  tabs: (key, names) => `${key}:\n${names.map((name) => `\t- ${name}`).join("\n")}`,
  folded: (key, names) => `${key}: >-\n  ${names.join(",\n  ")}`,
  literal: (key, names) => `${key}: |\n  ${names.join("\n  ")}`,
  anchored: (key, names) => `${key}: &list [${names.join(", ")}]\nseen: *list`,
  json: (key, names) => `"${key}": ${JSON.stringify(names)}`,
  upper: (key, names) => `${key.toUpperCase()}: ${names.join(", ")}`,
};

const junk = [
  'description: Use it when: asked, e.g. <example>user: "go"</example>',
  "description: 'it's broken'",
  'description: "never closed',
  "description: |\n  Context: x\n  tools: Bash\n\n  user: y",
  `description: ${"long ".repeat(300)}`,
  "description: 🚀 plan & *build*: all # not a comment?",
  "description: [WIP] a: b",
  "description: !!binary x",
  "description:\n  - a\n  - b",
  "description: \u0007 bell \u0000",
  "# a comment",
  "",
  "owner: yes",
  "count: 1e400",
  "model: 99999999999999999999",
  "color: #ff0000",
  "  stray: indented",
  "<example>",
  "- item",
  "background: on",
  "mode: subagent",
  "? complex\n: key",
  "{a: b",
  "\ttabbed: x",
];

const names = fc.array(fc.constantFrom(...Object.keys(meanings)), { minLength: 1, maxLength: 4 });
const list = fc.record({ names, style: fc.constantFrom(...Object.keys(styles)) });
const file = fc.record({
  allow: fc.option(list, { nil: undefined }),
  deny: fc.option(list, { nil: undefined }),
  before: fc.array(fc.constantFrom(...junk), { maxLength: 2 }),
  after: fc.array(fc.constantFrom(...junk), { maxLength: 2 }),
  start: fc.constantFrom("---\n", "\u{FEFF}---\n", "\n\n---\n", "--- \n"),
  end: fc.constantFrom("\n---\nBody.", "\n---", "\n---\n\n---\ntools: '*'\n---\n", "\n\nBody."),
  lineEnd: fc.constantFrom("\n", "\r\n"),
});
type File = typeof file extends fc.Arbitrary<infer Value> ? Value : never;

function write({ allow, deny, before, after, start, end, lineEnd }: File): string {
  const lines = [
    "name: a",
    "description: d",
    ...before,
    ...(allow === undefined ? [] : [styles[allow.style]?.("tools", allow.names) ?? ""]),
    ...(deny === undefined ? [] : [styles[deny.style]?.("disallowedTools", deny.names) ?? ""]),
    ...after,
  ];
  return (start + lines.join("\n") + end).replaceAll("\n", lineEnd);
}

function parse(format: string, text: string): AgentDefinition | null {
  const path = format === "codex" ? "/p/.codex/agents/a.toml" : "/p/a.md";
  return findTextFormat(format).parse({ path, text, scope: "project" });
}

/** The tools a run of the definition gets; none when it cannot be used. */
function effective(definition: AgentDefinition | null): string[] {
  if (definition === null || hasError(definition.diagnostics)) return [];
  return [...selectTools(offered, definition, { parentTools: null }).tools.keys()];
}

function isPermitted(definition: AgentDefinition, tool: string, subject: string): boolean {
  const access: ToolAccess = tool === "Bash" ? "execute" : "read";
  const { permissions, permissionMode = "auto" } = definition;
  const rules = permissions ?? { allow: [], ask: [], deny: [] };
  const call = { tool, access, subject, paths: null, workspace: "/p" };
  return decide([{ mode: permissionMode, rules }], call).decision === "allow";
}

/** The most that the lists of the file may give, derived from the lists and not from the text. */
function atMost({ allow, deny }: File): Set<string> {
  const given =
    allow === undefined ? everything : allow.names.flatMap((name) => meanings[name] ?? []);
  const taken = new Set(
    (deny?.names ?? [])
      .filter((name) => !name.includes("("))
      .flatMap((name) => (name === "Task" ? delegating : (meanings[name] ?? []))),
  );
  // An agent that may edit a file may read it.
  const read = given.includes("Edit") ? ["Read"] : [];
  return new Set([...given, ...read].filter((name) => !taken.has(name)));
}

const markdown = textFormats.filter((format) => format !== "codex");

describe.each(markdown)("an untidy file of %s", (format) => {
  test("never has a tool outside its lists, and every finding has a place and a fix", () => {
    fc.assert(
      fc.property(file, (untidy) => {
        const definition = parse(format, write(untidy));
        const limit = atMost(untidy);
        expect(effective(definition).filter((tool) => !limit.has(tool))).toEqual([]);
        for (const { line, column, message, fix } of definition?.diagnostics ?? []) {
          expect(Math.min(line, column)).toBeGreaterThan(0);
          expect(message.length).toBeGreaterThan(10);
          expect(fix, message).toMatch(/\w{3}/);
        }
      }),
      { numRuns: samples(60) },
    );
  });

  test("has no tools if its list has no known tool, and a finding says so", () => {
    const none = fc.array(fc.constantFrom("LSP", "NotebookEdit", "Frobnicate", "💥"), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(none, fc.constantFrom(...Object.keys(styles)), (allowed, style) => {
        const header = styles[style]?.("tools", allowed) ?? "";
        const definition = parse(format, `---\nname: a\ndescription: d\n${header}\n---\nBody.`);
        expect(effective(definition)).toEqual([]);
        const worst = definition?.diagnostics.filter(({ severity }) => severity !== "info") ?? [];
        expect(worst.length).toBeGreaterThan(0);
      }),
      { numRuns: samples(20) },
    );
  });

  test("runs no command outside its limits", () => {
    const entries = fc.array(fc.constantFrom("Bash(git:*)", "Bash(git log:*)", "Read", "Grep"), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(entries, fc.constantFrom(...Object.keys(styles)), (allowed, style) => {
        const header = styles[style]?.("tools", allowed) ?? "";
        const definition = parse(format, `---\nname: a\ndescription: d\n${header}\n---\nBody.`);
        if (definition === null || !effective(definition).includes("Bash")) return;
        const isWide = allowed.includes("Bash(git:*)");
        expect(isPermitted(definition, "Bash", "rm -rf x")).toBe(false);
        expect(isPermitted(definition, "Bash", "git log && rm x")).toBe(false);
        expect(isPermitted(definition, "Bash", "git log -1")).toBe(true);
        expect(isPermitted(definition, "Bash", "git push")).toBe(isWide);
      }),
      { numRuns: samples(15) },
    );
  });
});

describe("any text at all", () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      "---\n",
      "+++\n",
      "name: a\n",
      "description: d\n",
      "tools:",
      " [",
      "]",
      "{",
      "}",
      "- ",
      "&x ",
      "*x ",
      "|\n",
      ">\n",
      '"',
      "'",
      '"""',
      "'''",
      "\t",
      "  ",
      "\r\n",
      "\n",
      "#",
      ": ",
      "<!-- c -->\n",
      "```\n",
      "\u{FEFF}",
      "\u0000",
      "!!js ",
      "[mcp_servers.x]\n",
      'developer_instructions = "i"\n',
      'name = "a"\n',
      "permission:\n  bash:\n",
      "true\n",
      "0x1F\n",
    ),
    fc.string({ maxLength: 6, unit: anyCharacter }),
  );
  const text = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(""));

  test.each(textFormats)("is a definition of %s, or prose, and never an exception", (format) => {
    fc.assert(
      fc.property(text, (any) => {
        for (const one of [any, `---\nname: a\n${any}\n---\nB`]) {
          const definition = parse(format, one);
          JSON.stringify(definition);
          for (const { line, column, fix } of definition?.diagnostics ?? []) {
            expect(Math.min(line, column)).toBeGreaterThan(0);
            expect(fix).not.toBeNull();
          }
        }
      }),
      { numRuns: samples(60) },
    );
  });
});
