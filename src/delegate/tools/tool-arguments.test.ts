import { expect, test } from "vitest";
import type { Tool } from "../../tool/tool.ts";
import { createAgentTool } from "./agent-tool.ts";
import { createContextGetTool } from "./context-get-tool.ts";

// Arguments are checked before these are used.
const agent = createAgentTool({} as never, []);
const contextGet = createContextGetTool({} as never);

function problemOf(tool: Tool, input: object): string {
  const call = tool.prepare(input, { workspace: "/" });
  return "problem" in call ? call.problem : "none";
}

test("Agent refuses unknown arguments and suggests the intended one", () => {
  const task = { prompt: "do it", type: "worker" };
  expect(problemOf(agent, { ...task, timeout: 5 })).toBe("none");
  expect(problemOf(agent, { ...task, timeoutSeconds: 5 })).toBe(
    "The arguments of Agent are not valid:\n- arguments: `timeoutSeconds` is not known. Did you mean `timeout`? Known: prompt, type, timeout.",
  );
  expect(problemOf(agent, { ...task, budget: { usd: 1 } })).toContain("`budget` is not known.");
  expect(agent.inputSchema["additionalProperties"]).toBe(false);
});

test("context_get refuses unknown arguments and suggests the intended one", () => {
  expect(problemOf(contextGet, { key: "a", label: "b" })).toBe("none");
  expect(problemOf(contextGet, { run: "b" })).toContain("Known: key, runId, label.");
  expect(problemOf(contextGet, { runid: "b" })).toContain("Did you mean `runId`?");
  expect(problemOf(contextGet, { keys: "a" })).toContain("Did you mean `key`?");
  expect(problemOf(contextGet, { runId: "a", label: "b" })).toContain("not both");
});
