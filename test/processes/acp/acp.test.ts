import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  methods,
  type NewSessionResponse,
  type PromptResponse,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk";
import { describe, expect, it, vi } from "vitest";
import { agentFile, cadre, createProject, node, type Project } from "../../cli/command-line.ts";
import { commandFile } from "../../cli/start-command.ts";
import {
  begin,
  openEditor,
  openEditorOfProcess,
  sentTextOf,
  sendPrompt,
} from "../../acp/acp-client.ts";

const script = `
scripts:
  - when: { agent: worker, turn: 0 }
    reply: { text: I look around., calls: [{ tool: LS, input: { path: "." } }] }
  - when: { agent: worker }
    reply: { text: worker is done }
  - when: { last: delegate }
    reply:
      text: I ask a worker.
      calls: [{ tool: Agent, input: { type: worker, prompt: count the files } }]
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one\\n" } }] }
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - when: { last: plan }
    reply:
      reasoning: let me think
      calls: [{ tool: TodoWrite, input: { todos: [{ content: first, status: in_progress }, { content: second, status: pending }] } }]
  - reply: { text: heard you }
`;

function project(): Project {
  return createProject({ "script.yaml": script, ".cadre/agents/worker.md": agentFile("worker") });
}

const { session } = methods.agent;

describe.concurrent("cadre acp", () => {
  it("executes prompts as turns of a conversation, with calls, changes, plans and thoughts", async () => {
    const fixture = project();
    const editor = await openEditorOfProcess(fixture, { words: ["--mode", "auto"] });
    const request = { cwd: fixture.path, mcpServers: [] };
    const created = await editor.agent.request<NewSessionResponse>(session.new, request);
    const { sessionId } = created;
    expect(created.modes).toMatchObject({ currentModeId: "auto" });
    expect(created.configOptions).toMatchObject([
      { id: "mode" },
      { id: "agent", currentValue: "main" },
      { id: "model", currentValue: "default" },
      { id: "budget", currentValue: "default" },
    ]);
    await editor.sees((one) => one.sessionUpdate === "available_commands_update");
    expect(await sendPrompt(editor, sessionId, "write it")).toBe("end_turn");
    expect(sentTextOf(editor.updates)).toBe("heard you");
    const path = join(fixture.path, "note.txt");
    const call = await editor.sees((one) => one.sessionUpdate === "tool_call");
    expect(call).toMatchObject({
      title: "Write note.txt",
      kind: "edit",
      locations: [{ path }],
      content: [{ type: "diff", path, oldText: null, newText: "one\n" }],
    });
    const ended = await editor.sees((one) => one.sessionUpdate === "tool_call_update");
    expect(ended).toMatchObject({ status: "completed", content: [{ type: "diff" }] });
    expect(await sendPrompt(editor, sessionId, "plan it")).toBe("end_turn");
    expect(await editor.sees((one) => one.sessionUpdate === "plan")).toMatchObject({
      entries: [
        { content: "first", status: "in_progress" },
        { content: "second", status: "pending" },
      ],
    });
    expect(sentTextOf(editor.updates, "agent_thought_chunk")).toBe("let me think");
    expect(await editor.sees((one) => one.sessionUpdate === "session_info_update")).toMatchObject({
      title: "write it",
    });
    const { code, stderr } = await editor.leave();
    expect([code, stderr]).toEqual([0, ""]);
    const { stdout } = await cadre(fixture, ["conversations", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ conversations: [{ id: sessionId, turns: 2 }] });
  });

  it("shows the calls of a sub-agent below the call that it works for", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto"] });
    const sessionId = await begin(editor, fixture);
    expect(await sendPrompt(editor, sessionId, "delegate")).toBe("end_turn");
    const calls = editor.updates.filter((one) => one.sessionUpdate === "tool_call");
    expect(calls).toMatchObject([
      { title: "Agent worker count the files" },
      { title: "LS .", kind: "read", _meta: { parentToolCallId: `${sessionId}/tool/1/0` } },
    ]);
    const progress = editor.updates.filter(
      (one) =>
        one.sessionUpdate === "tool_call_update" && one.toolCallId === `${sessionId}/tool/1/0`,
    );
    expect(progress).toMatchObject([
      { content: [{ content: { text: "I look around.\n● LS ." } }] },
      { content: [{ content: { text: "I look around.\n● LS .\nworker is done" } }] },
      {
        status: "completed",
        content: [{ content: { text: expect.stringContaining("worker is done") } }],
      },
    ]);
    await editor.leave();
  });

  it("asks for permission with the choices of a question, and the answer counts", async () => {
    const fixture = project();
    const answers = ["no", "rule-session"];
    const editor = await openEditor(fixture, { choose: () => answers.shift() });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "write it");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(false);
    const [asked] = editor.asked;
    expect(asked?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ["once", "allow_once"],
      ["always", "allow_always"],
      ["rule-session", "allow_always"],
      ["rule-project", "allow_always"],
      ["rule-user", "allow_always"],
      ["no", "reject_once"],
    ]);
    expect(asked?.toolCall).toMatchObject({
      toolCallId: `${sessionId}/tool/1/0`,
      kind: "edit",
      content: [{ type: "diff" }, { type: "content" }],
    });
    await sendPrompt(editor, sessionId, "write it");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(true);
    await editor.leave();
  });

  it("cancels a turn, twice and after its end too, and continues", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto", "--sandbox", "off"] });
    const sessionId = await begin(editor, fixture);
    const turn = sendPrompt(editor, sessionId, "dawdle");
    await editor.sees((one) => one.sessionUpdate === "tool_call");
    await expect(sendPrompt(editor, sessionId, "more")).rejects.toThrow(/turn .* in progress/i);
    await editor.agent.notify(session.cancel, { sessionId });
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await sendPrompt(editor, sessionId, "hello")).toBe("end_turn");
    await editor.leave();
  });

  it("loads a session of an agent that was killed in the middle of a turn, which continues", async () => {
    const fixture = project();
    const words = ["--mode", "auto", "--sandbox", "off"];
    const killed = await openEditorOfProcess(fixture, { words });
    const sessionId = await begin(killed, fixture);
    await sendPrompt(killed, sessionId, "hello");
    void sendPrompt(killed, sessionId, "dawdle").catch(() => undefined);
    await killed.sees((one) => one.sessionUpdate === "tool_call");
    await killed.kill();
    const editor = await openEditor(fixture, { words });
    const { sessions } = await editor.agent.request(session.list, { cwd: fixture.path });
    expect(sessions).toMatchObject([{ sessionId, cwd: fixture.path, title: "hello" }]);
    await editor.agent.request(session.load, { sessionId, cwd: fixture.path, mcpServers: [] });
    await editor.sees((one) => sentTextOf([one]) === "I wait.");
    expect(sentTextOf(editor.updates, "user_message_chunk")).toBe("hellodawdle");
    const expectTexts = (): void =>
      expect(sentTextOf(editor.updates)).toBe("heard youI wait.heard you");
    await vi.waitFor(expectTexts, { timeout: 30_000 });
    // The turn ends after its last text, and another one is refused until then.
    const next = async (): Promise<string> => await sendPrompt(editor, sessionId, "write it");
    expect(await vi.waitFor(next, { timeout: 30_000 })).toBe("end_turn");
    await editor.leave();
  });

  it("resumes without a replay, closes and deletes sessions", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto"] });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "hello");
    await editor.agent.request(session.close, { sessionId });
    await expect(sendPrompt(editor, sessionId, "hello")).rejects.toThrow(/no open session/);
    const before = editor.updates.length;
    await editor.agent.request(session.resume, { sessionId, cwd: fixture.path });
    expect(sentTextOf(editor.updates.slice(before))).toBe("");
    expect(await sendPrompt(editor, sessionId, "again")).toBe("end_turn");
    await editor.agent.request(session.delete, { sessionId });
    const { sessions } = await editor.agent.request(session.list, { cwd: fixture.path });
    expect(sessions).toEqual([]);
    await editor.leave();
  });

  it("loads a session that another process created and did not use", async () => {
    const fixture = project();
    const first = await openEditorOfProcess(fixture);
    const sessionId = await begin(first, fixture);
    await first.leave();
    const editor = await openEditor(fixture);
    await editor.agent.request(session.load, { sessionId, cwd: fixture.path, mcpServers: [] });
    expect(await sendPrompt(editor, sessionId, "hello")).toBe("end_turn");
    await editor.leave();
    const { stdout } = await cadre(fixture, ["conversations", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ conversations: [{ id: sessionId }] });
  });

  it("changes the mode and the agent, by command too", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "plan"] });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "write it");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(false);
    await editor.agent.request(session.setMode, { sessionId, modeId: "auto" });
    await sendPrompt(editor, sessionId, "write it");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(true);
    const option = { sessionId, configId: "agent", value: "worker" };
    const { configOptions } = await editor.agent.request<SetSessionConfigOptionResponse>(
      session.setConfigOption,
      option,
    );
    expect(configOptions.slice(0, 2)).toMatchObject([
      { currentValue: "auto" },
      { currentValue: "worker" },
    ]);
    await sendPrompt(editor, sessionId, "/worker look");
    expect(sentTextOf(editor.updates)).toContain("worker is done");
    await editor.leave();
  });

  it("takes images, embedded files and links", async () => {
    const fixture = project();
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(join(fixture.path, "a b.txt"), "");
    const editor = await openEditor(fixture);
    const sessionId = await begin(editor, fixture);
    await editor.agent.request<PromptResponse>(session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "see" },
        { type: "resource_link", name: "a b.txt", uri: `file://${fixture.path}/a%20b.txt` },
        { type: "resource", resource: { uri: "file:///x/unsaved.ts", text: "const a = 1;" } },
        { type: "image", data: png, mimeType: "image/png" },
      ],
    });
    await editor.leave();
    const { stdout } = await cadre(fixture, ["show", "last", "--json"]);
    const { spec } = JSON.parse(stdout) as { spec: { task: string; images: object[] } };
    expect(spec.task).toBe(
      `see @${fixture.path}/a b.txt \n<file path="/x/unsaved.ts">\nconst a = 1;\n</file>`,
    );
    expect(spec.images).toMatchObject([{ mediaType: "image/png" }]);
  });

  it("answers wrong requests with what was expected", async () => {
    const fixture = project();
    const editor = await openEditor(fixture);
    const { agent } = editor;
    await expect(agent.request("nothing/known", {})).rejects.toMatchObject({ code: -32601 });
    await expect(agent.request(session.new, { mcpServers: [] } as never)).rejects.toMatchObject({
      code: -32602,
    });
    await expect(agent.request(session.new, { cwd: "/not/there", mcpServers: [] })).rejects.toThrow(
      /\/not\/there/,
    );
    const load = { sessionId: "abc-def", cwd: fixture.path, mcpServers: [] };
    await expect(agent.request(session.load, load)).rejects.toThrow(/abc-def/);
    const sessionId = await begin(editor, fixture);
    const mode = { sessionId, modeId: "yolo" };
    await expect(agent.request(session.setMode, mode)).rejects.toThrow(/one of plan, .* got yolo/);
    const prompt = { sessionId, prompt: [] };
    await expect(agent.request(session.prompt, prompt)).rejects.toThrow(/Expected `prompt`/);
    const { code, stderr } = await editor.leave();
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("gives the session the MCP servers that the editor brings", async () => {
    const fixture = project();
    fixture.write("server.mjs", "process.exit(3);\n");
    const editor = await openEditor(fixture);
    const servers = [{ name: "broken", command: node, args: ["server.mjs"], env: [] }];
    const request = { cwd: fixture.path, mcpServers: servers };
    const created = await editor.agent.request<NewSessionResponse>(session.new, request);
    await expect(sendPrompt(editor, created.sessionId, "hello")).rejects.toThrow(/broken/);
    await editor.leave();
  });

  it("is a runner of Cadre, which asks for the permissions of its calls", async () => {
    const fixture = project();
    const runner = `acp:CADRE_MODEL=$CADRE_MODEL ${node} ${commandFile} acp --mode ask --sandbox off`;
    fixture.write(
      ".cadre/agents/outer.md",
      `---\nname: outer\ndescription: runs in Cadre\nrunner: ${runner}\n---\nYou are outer.\n`,
    );
    const words = ["run", "outer", "--trust", "--mode", "auto", "--json", "write it"];
    const { code, stdout, stderr } = await cadre(fixture, words);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "succeeded", text: "heard you" });
  });
});
