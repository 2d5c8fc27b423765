import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { methods, type NewSessionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it, vi } from "vitest";
import { createProject, node, type Project } from "../cli/command-line.ts";
import { begin, openEditor, sendPrompt } from "./acp-client.ts";
import { startAcp } from "./start-acp.ts";
import { mcpServer } from "../fixtures/process/bundled-program.ts";

const script = `
scripts:
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one" } }] }
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - when: { last: echo }
    reply: { calls: [{ tool: mcp__brought__echo, input: { text: from the server } }] }
  - reply: { text: heard you }
`;

const { session } = methods.agent;
/** The time limit of a wait when many tests run at once, in milliseconds. */
const slow = { timeout: 120_000 };
const auto = ["--mode", "auto", "--sandbox", "off"];
const ask = ["--mode", "ask", "--sandbox", "off"];
const project = (): Project => createProject({ "script.yaml": script });

describe.concurrent("sessions in an editor", () => {
  it("pass the chosen mode on to a copy", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ask });
    const sessionId = await begin(editor, fixture);
    await editor.agent.request(session.setMode, { sessionId, modeId: "auto" });
    expect(await sendPrompt(editor, sessionId, "hello")).toBe("end_turn");
    const request = { sessionId, cwd: fixture.path, mcpServers: [] };
    const copy = await editor.agent.request<NewSessionResponse>("session/fork", request);
    expect(copy.modes).toMatchObject({ currentModeId: "auto" });
    expect(await sendPrompt(editor, copy.sessionId, "write it")).toBe("end_turn");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(true);
    expect(editor.asked).toEqual([]);
    await editor.leave();
  });

  it("use the editor's MCP servers, each under its own name", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: auto });
    const brought = { name: "brought", command: node, args: [mcpServer], env: [] };
    const request = { cwd: fixture.path, mcpServers: [brought] };
    const { sessionId } = await editor.agent.request<NewSessionResponse>(session.new, request);
    expect(await sendPrompt(editor, sessionId, "echo it")).toBe("end_turn");
    const ended = await editor.sees(
      (one) => one.sessionUpdate === "tool_call_update" && one.status === "completed",
    );
    expect(JSON.stringify(ended)).toContain("from the server");
    const twice = { cwd: fixture.path, mcpServers: [brought, { ...brought, args: [] }] };
    await expect(editor.agent.request(session.new, twice)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("two brought"),
    });
    await editor.leave();
  });

  it("are served after a flood of messages, each of which is answered", async () => {
    const fixture = project();
    const { input, output, leave } = startAcp(fixture, auto);
    const answered = new Map<number, { error?: object; result?: object }>();
    createInterface({ input: output }).on("line", (line) => {
      const message = JSON.parse(line) as { id?: number; error?: object; result?: object };
      if (typeof message.id === "number") answered.set(message.id, message);
    });
    const send = (message: object): void => {
      input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    };
    const clientInfo = { name: "raw", version: "1" };
    send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientInfo } });
    const most = 1000;
    for (let id = 1; id <= most; id++) {
      send({ method: "session/cancel", params: { sessionId: "no-one" } });
      const prompt = [{ type: "text", text: "x".repeat(1000) }];
      send({ id, method: "session/prompt", params: { sessionId: "no-one", prompt } });
    }
    const create = { cwd: fixture.path, mcpServers: [] };
    send({ id: most + 1, method: "session/new", params: create });
    await vi.waitUntil(() => answered.size === most + 2, slow);
    expect(answered.get(most)).toMatchObject({ error: { code: -32002 } });
    expect(answered.get(most + 1)).toMatchObject({ result: { sessionId: expect.any(String) } });
    const { code, stderr } = await leave();
    expect([code, stderr]).toEqual([0, ""]);
  });
});
