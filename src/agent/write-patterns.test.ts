import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "./agent.ts";
import { convertAgent } from "./convert.ts";
import { parseNative } from "./native.ts";
import type { TextFormat } from "./parse-agent.ts";

function native(header: string): AgentDefinition {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function gains(definition: AgentDefinition, format: TextFormat): string[] {
  const { lost } = convertAgent(definition, format);
  return lost.filter(({ isGain }) => isGain === true).map(({ field }) => field);
}

test("one way to delegate that is denied in part stays the only one", () => {
  const definition = native('permissions: { ordered: [{ deny: "Agent(team-*)" }] }');
  expect(convertAgent(definition, "cadre").lost).toEqual([]);
});

test("a tool of which nothing is left is not given whole", () => {
  const definition = native("tools: [Read, Edit]\npermissions: { ordered: [{ deny: Edit }] }");
  expect(convertAgent(definition, "cadre").lost).toEqual([]);
  expect(convertAgent(definition, "claude").text).toContain("tools:\n  - Read\n---");
  expect(gains(definition, "claude")).toEqual([]);
});

describe("where there are no rules, what they limit is left out", () => {
  const rules =
    'permissions: { ordered: [{ deny: Read }, { allow: "Read(src/**)" }, { ask: Bash }] }';

  test.each(["acai", "copilot", "gemini"] as const)("of the list of %s", (format) => {
    const { text } = convertAgent(native(rules), format);
    expect(text).toMatch(/^tools:/m);
    expect(text).not.toMatch(/\b(?:Read|Grep|Glob|read|search|read_file|grep_search|glob)\b/);
  });

  test("of what Claude Code has, with all that reads", () => {
    const { text } = convertAgent(native(rules), "claude");
    expect(text).toContain("disallowedTools:\n  - Read\n  - Grep\n  - Glob\n");
    expect(gains(native(rules), "claude")).toEqual(["permissions"]);
  });
});
