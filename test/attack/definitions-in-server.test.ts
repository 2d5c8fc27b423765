import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  changeFrom,
  recipePath,
  replyAndChange,
  recipe,
  writeCommand,
} from "../fixtures/delegation/changing-project.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import type { ModelProject } from "../fixtures/project.ts";
import {
  connectRaw,
  createFixture,
  type McpProject,
  type McpMessage,
  shakeHands,
  resultTextOf,
} from "../mcp/mcp-project.ts";

describe("in a server for MCP clients", () => {
  const isQuestion = ({ method, id }: McpMessage): boolean =>
    method === "elicitation/create" && id !== undefined;

  async function connect(): Promise<ReturnType<typeof connectRaw> & { project: ModelProject }> {
    const server = await startModelServer((turn) =>
      replyAndChange(turn, (command) => changeFrom(project.folder, command)),
    );
    const project: McpProject = createFixture(server);
    const raw = connectRaw(project, { trust: true, mode: "auto", sandbox: "off" });
    await shakeHands(raw, { elicitation: {} });
    await raw.ask("tools/list");
    return Object.assign(raw, { project });
  }

  /** Calls the tool `agent` and answers its questions. */
  async function callAgent(
    raw: ReturnType<typeof connectRaw>,
    input: { type: string; prompt: string },
    decision: string,
  ): Promise<{ text: string; questions: McpMessage[] }> {
    const id = `call-${raw.messages.length}`;
    const before = raw.messages.length;
    raw.send({ id, method: "tools/call", params: { name: "agent", arguments: input } });
    const questions: McpMessage[] = [];
    for (;;) {
      const isNew = (message: McpMessage): boolean =>
        raw.messages.indexOf(message) >= before && !questions.includes(message);
      const next = await raw.until(
        (message) => isNew(message) && (isQuestion(message) || message.id === id),
      );
      if (next.id === id && next.method === undefined)
        return { text: resultTextOf(next), questions };
      questions.push(next);
      raw.send({ id: next.id ?? null, result: { action: "accept", content: { decision } } });
    }
  }

  test("a definition that changed during a run needs approval when the client's model calls it, once", async () => {
    const raw = await connect();
    const { folder } = raw.project;
    const notified = raw.until(({ method }) => method === "notifications/tools/list_changed");
    const writing = { type: "main", prompt: writeCommand(recipePath, recipe("ran")) };
    await callAgent(raw, writing, "deny");
    await notified;
    const call = { type: "helper", prompt: "go" };
    const denied = await callAgent(raw, call, "deny");
    expect(denied.questions).toHaveLength(1);
    expect(JSON.stringify(denied.questions)).toContain("sh -c 'touch ran'");
    expect(denied.text).toContain("The agent helper was not started");
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect((await callAgent(raw, call, "allow always")).questions).toHaveLength(1);
    expect(existsSync(join(folder, "ran"))).toBe(true);
    expect((await callAgent(raw, call, "deny")).questions).toEqual([]);
  });

  test("a program that appeared during a run is not loaded before the server is restarted", async () => {
    const raw = await connect();
    const { folder } = raw.project;
    const notified = raw.until(({ method }) => method === "notifications/tools/list_changed");
    const program = `import { writeFileSync } from "node:fs"; writeFileSync("${folder}/ran", "");
export default { name: "helper", description: "d", run: () => "ran" };`;
    const path = ".cadre/agents/helper.mjs";
    await callAgent(raw, { type: "main", prompt: writeCommand(path, program) }, "deny");
    expect(existsSync(join(folder, path))).toBe(true);
    await Promise.race([notified, callAgent(raw, { type: "main", prompt: "true" }, "deny")]);
    const { text } = await callAgent(raw, { type: "helper", prompt: "go" }, "allow always");
    expect(text).toMatch(/appeared or changed while Cadre was open|Unknown agent/);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});
