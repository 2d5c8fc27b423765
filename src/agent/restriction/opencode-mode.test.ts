import { expect, test } from "vitest";
import type { AgentDefinition } from "../definition/agent.ts";
import { parseOpenCode } from "../opencode/opencode.ts";

function parse(header: string): AgentDefinition | null {
  const text = `---\ndescription: d\n${header}\n---\nBody.\n`;
  return parseOpenCode({ path: "/p/.opencode/agents/a.md", text, scope: "project" });
}

test("a sub-agent delegates only if its own rules name that, and other modes change nothing", () => {
  expect(parse("mode: subagent")?.maxDepth).toBe(0);
  expect(parse('mode: subagent\npermission: { "*": allow }')?.maxDepth).toBe(0);
  expect(parse("mode: subagent\npermission: { task: allow }")).not.toHaveProperty("maxDepth");
  expect(parse("mode: subagent\ntools: { task: true }")).not.toHaveProperty("maxDepth");
  const rules = "permissions: [{ action: subagent, resource: x, effect: allow }]";
  expect(parse(`mode: subagent\n${rules}`)).not.toHaveProperty("maxDepth");
  const lists = parse("mode: subagent\npermissions: { deny: [Bash] }");
  expect(lists).toMatchObject({ maxDepth: 0, permissions: { deny: ["Bash"] } });
  expect(lists?.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  for (const mode of ["primary", "all"])
    expect(parse(`mode: ${mode}`)).not.toHaveProperty("maxDepth");
});
