import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it } from "vitest";
import { agentFile, createProject, type Project } from "../cli/command-line.ts";
import {
  beginNew,
  callOf,
  isIdle,
  openNewEditor,
  statesOf,
  messageTextOf,
} from "./version-2-client.ts";

const script = `
scripts:
  - when: { agent: worker, last: slowly }
    reply: { text: I count., calls: [{ tool: Bash, input: { command: "echo begun; sleep 60" } }] }
  - when: { agent: worker, turn: 0 }
    reply: { text: I look around., calls: [{ tool: LS, input: { path: "." } }] }
  - when: { agent: worker }
    reply: { text: worker is done }
  - when: { last: delegate }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: count the files } }] }
  - when: { last: send it }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: count slowly } }] }
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one\\n" } }] }
  - when: { last: change }
    reply:
      calls:
        - { tool: Read, input: { file_path: old.txt } }
        - { tool: Edit, input: { file_path: old.txt, old_string: two, new_string: deux } }
  - when: { last: show }
    reply: { calls: [{ tool: Bash, input: { command: "echo one; until [ -e seen ]; do sleep 0.02; done; echo two" } }] }
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - when: { last: fail }
    reply: { fault: { kind: status, status: 401 } }
  - when: { last: plan }
    reply:
      reasoning: let me think
      calls: [{ tool: TodoWrite, input: { todos: [{ content: first, status: in_progress }] } }]
  - reply: { text: heard you }
`;

const { session, toolCall } = methods.agent;

function project(): Project {
  return createProject({
    "script.yaml": script,
    "old.txt": "one\ntwo\n",
    ".cadre/agents/worker.md": agentFile("worker"),
  });
}

const auto = ["--mode", "auto", "--sandbox", "off"];

describe.concurrent("version 2 of the protocol", () => {
  it("is used with an editor that requests it, and executes prompts as turns", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const { agent, updates } = editor;
    expect(editor.initialized).toMatchObject({
      protocolVersion: 2,
      info: { name: "cadre" },
      capabilities: { session: { prompt: { image: {} }, mcp: { stdio: {} }, delete: {} } },
    });
    const created = await agent.request(session.new, { cwd: fixture.path });
    const { sessionId } = created;
    expect(created.configOptions).toMatchObject([
      { configId: "mode", currentValue: "auto" },
      { configId: "agent", currentValue: "main" },
      { configId: "model" },
      { configId: "budget" },
    ]);
    expect(created.availableCommands).toContainEqual(
      expect.objectContaining({
        type: "command",
        name: "worker",
        input: { type: "text", hint: "task" },
      }),
    );
    const messageId = await editor.sendPrompt(sessionId, "write it");
    expect(messageId).toBe(sessionId);
    await editor.sees(isIdle(1));
    expect(statesOf(updates)).toEqual(["running", "idle end_turn"]);
    expect(updates).toContainEqual({
      sessionUpdate: "user_message",
      messageId,
      content: [{ type: "text", text: "write it" }],
    });
    expect(messageTextOf(updates)).toBe("heard you");
    const path = join(fixture.path, "note.txt");
    expect(callOf(updates, "Write note.txt")).toMatchObject({
      name: "Write",
      kind: "edit",
      status: "completed",
      locations: [{ path }],
      content: [
        {
          type: "diff",
          changes: [{ operation: "add", path }],
          patch: { format: "git_patch", text: expect.stringContaining("@@ -0,0 +1,1 @@\n+one\n") },
        },
      ],
    });
    await editor.sendPrompt(sessionId, "plan it");
    await editor.sees(isIdle(2));
    expect(messageTextOf(updates, "agent_thought_chunk")).toBe("let me think");
    expect(updates).toContainEqual({
      sessionUpdate: "plan_update",
      plan: {
        type: "items",
        planId: "todos",
        entries: [{ content: "first", priority: "medium", status: "in_progress" }],
      },
    });
    await editor.sendPrompt(sessionId, "change it");
    await editor.sees(isIdle(3));
    expect(callOf(updates, "Edit old.txt")).toMatchObject({
      status: "completed",
      content: [
        { changes: [{ operation: "modify" }], patch: { text: expect.stringContaining("-two") } },
      ],
    });
    expect(readFileSync(join(fixture.path, "old.txt"), "utf8")).toBe("one\ndeux\n");
    expect(updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: "session_info_update", title: "write it" }),
    );
    const { code, stderr } = await editor.leave();
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("shows the output of a command in a terminal while it runs", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const { updates } = editor;
    const sessionId = await beginNew(editor, fixture);
    await editor.sendPrompt(sessionId, "show it");
    const bytes = (): string =>
      updates
        .filter((one) => one.sessionUpdate === "terminal_output_chunk")
        .map((one) => Buffer.from((one as { data: string }).data, "base64").toString())
        .join("");
    await editor.sees(() => bytes() === "one\r\n");
    const terminalId = `${sessionId}/tool/1/0`;
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call_content_chunk",
        toolCallId: terminalId,
        content: { type: "terminal", terminalId },
      }),
    );
    fixture.write("seen", "");
    await editor.sees(isIdle(1));
    const data = Buffer.from("one\ntwo").toString("base64");
    expect(updates).toContainEqual({
      sessionUpdate: "terminal_update",
      terminalId,
      output: { data },
      exitStatus: { exitCode: 0, signal: null },
    });
    await editor.leave();
  });

  it("asks for permission, says that it waits, and remembers the answer in the session", async () => {
    const fixture = project();
    const answers = ["no", "rule-session"];
    const editor = await openNewEditor(fixture, { choose: () => answers.shift() });
    const { asked, updates } = editor;
    const sessionId = await beginNew(editor, fixture);
    for (const turn of [1, 2, 3]) {
      await editor.sendPrompt(sessionId, "write it");
      await editor.sees(isIdle(turn));
      expect(existsSync(join(fixture.path, "note.txt"))).toBe(turn > 1);
    }
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      title: "Allow Write note.txt?",
      description: expect.stringContaining("main asks. Why you are asked: mode ask"),
      subject: {
        type: "tool_call",
        toolCall: { toolCallId: `${sessionId}/tool/1/0`, content: [{ type: "diff" }] },
      },
    });
    expect(statesOf(updates).slice(0, 4)).toEqual([
      "running",
      "requires_action",
      "running",
      "idle end_turn",
    ]);
    await editor.leave();
  });

  it("holds a prompt until the previous turn has ended, and cancels both at once", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const { agent, updates } = editor;
    const sessionId = await beginNew(editor, fixture);
    await editor.sendPrompt(sessionId, "dawdle");
    const held = editor.sendPrompt(sessionId, "hello");
    await editor.sees(() => messageTextOf(updates) === "I wait.");
    await agent.notify(session.cancel, { sessionId });
    await agent.notify(session.cancel, { sessionId });
    await expect(held).rejects.toMatchObject({ code: -32800 });
    await editor.sees(isIdle(1));
    expect(statesOf(updates)).toEqual(["running", "idle cancelled"]);
    expect(callOf(updates, "Bash sleep 60")).toMatchObject({ status: "cancelled" });
    await agent.notify(session.cancel, { sessionId });
    const [one, two] = await Promise.all([
      editor.sendPrompt(sessionId, "hello"),
      editor.sendPrompt(sessionId, "again"),
    ]);
    await editor.sees(isIdle(3));
    expect(one).not.toBe(two);
    expect(statesOf(updates).slice(2)).toEqual([
      "running",
      "idle end_turn",
      "running",
      "idle end_turn",
    ]);
    await editor.leave();
  });

  it("cancels a sub-agent through the call that started it, and the turn continues", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const { agent, updates } = editor;
    const sessionId = await beginNew(editor, fixture);
    const toolCallId = `${sessionId}/tool/1/0`;
    const unknown = agent.request(toolCall.cancel, { sessionId, toolCallId });
    await expect(unknown).rejects.toMatchObject({ code: -32602 });
    await editor.sendPrompt(sessionId, "send it");
    const shown = (): string => JSON.stringify(callOf(updates, "Agent worker count slowly"));
    await editor.sees(() => shown().includes("I count.\\n● Bash echo begun; sleep 60"));
    expect(callOf(updates, "Agent worker count slowly")).toMatchObject({
      capabilities: { cancel: {} },
    });
    expect(callOf(updates, "Bash echo begun; sleep 60")).toMatchObject({
      _meta: { parentToolCallId: toolCallId },
    });
    await agent.request(toolCall.cancel, { sessionId, toolCallId });
    await editor.sees(isIdle(1));
    expect(statesOf(updates)).toEqual(["running", "idle end_turn"]);
    expect(callOf(updates, "Agent worker count slowly")).toMatchObject({ capabilities: null });
    await editor.leave();
  });

  it("reports a failed turn as an error of its end", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const sessionId = await beginNew(editor, fixture);
    await editor.sendPrompt(sessionId, "fail");
    await editor.sees(isIdle(1));
    expect(editor.updates.findLast((one) => one.sessionUpdate === "state_update")).toMatchObject({
      state: "idle",
      stopReason: "error",
      error: { code: -32603, message: expect.stringContaining("401") },
    });
    await editor.leave();
  });
});
