import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { convertAgent } from "../convert.ts";
import { parseNative } from "../native/native.ts";

function native(header: string): AgentDefinition {
  const text = `---\nname: a\ndescription: d\n${header}\n---\nBody.`;
  return parseNative({ path: "/p/a.md", text, scope: "project" });
}

function gains(definition: AgentDefinition, format: string): string[] {
  const { lost } = convertAgent(definition, format);
  return lost.filter(({ isGain }) => isGain === true).map(({ field }) => field);
}

test("denying one delegating tool in part does not deny the others", () => {
  const definition = native('permissions: { ordered: [{ deny: "Agent(team-*)" }] }');
  expect(convertAgent(definition, "cadre").lost).toEqual([]);
});

test("a tool that is denied entirely is not granted", () => {
  const definition = native("tools: [Read, Edit]\npermissions: { ordered: [{ deny: Edit }] }");
  expect(convertAgent(definition, "cadre").lost).toEqual([]);
  expect(convertAgent(definition, "claude").text).toContain("tools:\n  - Read\n---");
  expect(gains(definition, "claude")).toEqual([]);
});

describe("in a format without rules, limited tools are left out", () => {
  const rules =
    'permissions: { ordered: [{ deny: Read }, { allow: "Read(src/**)" }, { ask: Bash }] }';

  test.each(["acai", "copilot", "gemini"] as const)("in the list of %s", (format) => {
    const { text } = convertAgent(native(rules), format);
    expect(text).toMatch(/^tools:/m);
    expect(text).not.toMatch(/\b(?:Read|Grep|Glob|read|search|read_file|grep_search|glob)\b/);
  });

  test("in Claude Code's list, with all tools that read", () => {
    const { text } = convertAgent(native(rules), "claude");
    expect(text).toContain("disallowedTools:\n  - Read\n  - Grep\n  - Glob\n");
    expect(gains(native(rules), "claude")).toEqual(["permissions"]);
  });
});
