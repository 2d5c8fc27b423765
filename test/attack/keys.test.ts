import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AgentFile } from "../../src/agent/fields/common-fields.ts";
import { findTextFormat } from "../../src/agent/find-format.ts";
import { decide } from "../../src/tool/permission/permission.ts";
import { decodeEntities } from "../../src/source/html/decode-entities.ts";
import { type CompletionCall } from "../fixtures/chat-completion.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

/** Arguments that each tool takes. */
const valid: Readonly<Record<string, object>> = {
  Bash: { command: "echo hi" },
  Read: { file_path: "a.txt" },
  Write: { file_path: "b.txt", content: "x" },
  Edit: { file_path: "a.txt", old_string: "a", new_string: "b" },
  Grep: { pattern: "x" },
  Glob: { pattern: "*" },
  LS: {},
  DirectoryTree: {},
  WebFetch: { url: "http://127.0.0.1:1/" },
  Think: { thought: "x" },
  Skill: { skill: "x" },
  Agent: { type: "worker", prompt: "go" },
  Subagent: { instructions: "You are helper." },
  sessions_spawn: { agent: "worker", task: "go" },
  sessions_wait: {},
  sessions_list: {},
  sessions_send: { runId: "x", message: "y" },
  sessions_cancel: { runId: "x" },
  context_get: {},
  mcp__test__echo: { text: "hi" },
};

describe.each(keys)("a key called %s", (key) => {
  const odd = JSON.parse(`{"${key}": {"a": 1, "polluted": true}}`) as Record<string, unknown>;
  const withOdd = (input: object): Record<string, unknown> =>
    Object.fromEntries([...Object.entries(input), ...Object.entries(odd)]);

  test("in the arguments of a tool affects only that call: the run and the other calls continue", async () => {
    const outputSchema = { type: "object", properties: odd };
    const calls: CompletionCall[] = [
      ...Object.entries(valid).map(([tool, input]) => ({ tool, input: withOdd(input) })),
      { tool: "Subagent", input: { instructions: "You are helper.", outputSchema } },
      { tool: "Subagent", input: { subrecipe: "none", parameters: odd } },
      { tool: "sessions_spawn", input: { agent: "worker", task: "x", label: key } },
      { tool: "sessions_spawn", input: { agent: "worker", task: "x", dependsOn: [key] } },
      { tool: "context_get", input: { keys: [key] } },
      { tool: key, input: {} },
      { tool: "Think", input: { thought: "still here" } },
    ];
    const results: string[] = [];
    const server = await startModelServer(({ task, turn, last }) => {
      if (task !== "begin") return "done";
      if (turn === 0) return calls;
      if (turn === 1) results.push(...last);
      return "over";
    });
    const project = createModelProject(server);
    project.writeAgent("worker");
    const script = fileURLToPath(new URL("../fixtures/mcp/mcp-server-process.ts", import.meta.url));
    const extension = { name: "test", type: "stdio", command: process.execPath, args: [script] };
    project.writeAgent("main", { extensions: [extension] });
    const cadre = await project.open({ trust: true });
    const run = await cadre.spawn({ agent: "main", task: "begin" });
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "over" });
    expect(results).toHaveLength(calls.length);
    expect(results.at(-1)).toBe("Noted.");
    expect(results[calls.findIndex(({ tool }) => tool === "mcp__test__echo")]).toBe("hi");
    const polluted = {} as { polluted?: unknown };
    expect(polluted.polluted).toBeUndefined();
  });

  test("in the header of an agent, as a tool or in a rule is ordinary", () => {
    const text = `---\nname: a\ndescription: d\n${key}: {a: 1}\ntools: [Read, ${key}]\n---\nHi.`;
    const agent = findTextFormat("cadre").parse({ path: "/p/a.md", text } as AgentFile);
    expect(agent).toMatchObject({ name: "a", description: "d" });
    const rules = { allow: [key], ask: [], deny: [`${key}(x)`] };
    const call = {
      tool: "Read",
      access: "read",
      subject: "x",
      paths: ["/w/x"],
      workspace: "/w",
    } as const;
    expect(decide([{ mode: "ask", rules }], call).decision).toBe("allow");
    expect(decodeEntities(`&${key.replaceAll("_", "")};`)).toBe(`&${key.replaceAll("_", "")};`);
  });
});
