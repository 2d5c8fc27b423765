import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods, type NewSessionResponse } from "@agentclientprotocol/sdk";
import { methods as newMethods } from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it, vi } from "vitest";
import {
  begin,
  openEditor,
  openEditorOfProcess,
  sendPrompt,
  sentTextOf,
} from "../../acp/acp-client.ts";
import {
  beginNew,
  isIdle,
  openNewEditor,
  openNewEditorOfProcess,
  statesOf,
  messageTextOf,
} from "../../acp/version-2-client.ts";
import { agentFile, cadre, createProject, type Project } from "../../cli/command-line.ts";

const script = `
scripts:
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you, usage: { inputTokens: 20, outputTokens: 5 } }
`;

const recipe = `version: 1.0.0
title: Review
description: Reviews a folder
prompt: Review {{ target }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: a folder }
`;

const { session } = methods.agent;
const { session: newSession } = newMethods.agent;
/** The time limit of a wait when many tests run at once, in milliseconds. */
const slow = { timeout: 120_000 };
const auto = ["--mode", "auto", "--sandbox", "off"];
const ask = ["--mode", "ask", "--sandbox", "off"];
const project = (): Project => createProject({ "script.yaml": script });

describe.concurrent("sessions whose process has ended", () => {
  it("continue with their unfinished turn when they are loaded, after the editor has disconnected", async () => {
    const fixture = project();
    const gone = await openEditorOfProcess(fixture, { words: auto });
    const sessionId = await begin(gone, fixture);
    void sendPrompt(gone, sessionId, "dawdle").catch(() => undefined);
    await gone.sees((one) => one.sessionUpdate === "tool_call");
    const { code, stderr } = await gone.leave();
    expect([code, stderr]).toEqual([0, ""]);
    const editor = await openEditor(fixture, { words: auto });
    await editor.agent.request(session.load, { sessionId, cwd: fixture.path, mcpServers: [] });
    await vi.waitFor(() => expect(sentTextOf(editor.updates)).toBe("I wait.heard you"), slow);
    await editor.leave();
  });

  it("hold back a turn whose mode the process lacks until the mode is chosen", async () => {
    const fixture = project();
    const killed = await openEditorOfProcess(fixture, { words: ask });
    const sessionId = await begin(killed, fixture);
    await killed.agent.request(session.setMode, { sessionId, modeId: "auto" });
    void sendPrompt(killed, sessionId, "dawdle").catch(() => undefined);
    await killed.sees((one) => one.sessionUpdate === "tool_call");
    await killed.kill();
    const editor = await openEditor(fixture, { words: ask });
    await editor.agent.request(session.load, { sessionId, cwd: fixture.path, mcpServers: [] });
    const notice = await editor.sees((one) => one.sessionUpdate === "agent_thought_chunk");
    expect(sentTextOf([notice], "agent_thought_chunk")).toContain(
      "Choose the mode in the session.",
    );
    expect(sentTextOf(editor.updates)).toBe("");
    await editor.agent.request(session.setMode, { sessionId, modeId: "auto" });
    expect(await sendPrompt(editor, sessionId, "hello")).toBe("end_turn");
    expect(sentTextOf(editor.updates)).toBe("I wait.heard youheard you");
    expect(editor.asked).toEqual([]);
    await editor.leave();
  });

  it("are resumed with and without a replay, even after a kill in the middle of a turn", async () => {
    const fixture = project();
    const killed = await openNewEditorOfProcess(fixture, { words: auto });
    const sessionId = await beginNew(killed, fixture);
    await killed.sendPrompt(sessionId, "hello");
    await killed.sees(isIdle(1));
    const messageId = await killed.sendPrompt(sessionId, "dawdle");
    await killed.sees((updates) => messageTextOf(updates).endsWith("I wait."));
    await killed.kill();
    const editor = await openNewEditor(fixture, { words: auto });
    const { agent, updates } = editor;
    const { sessions } = await agent.request(newSession.list, { cwd: fixture.path });
    expect(sessions).toMatchObject([{ sessionId, cwd: fixture.path, title: "hello" }]);
    const resume = { sessionId, cwd: fixture.path };
    const wrong = { ...resume, replayFrom: { type: "_message" as const } };
    await expect(agent.request(newSession.resume, wrong)).rejects.toMatchObject({ code: -32602 });
    const replayFrom = { type: "start" as const };
    const resumed = await agent.request(newSession.resume, { ...resume, replayFrom });
    expect(resumed.configOptions).toHaveLength(4);
    const prompts = updates.filter((one) => one.sessionUpdate === "user_message");
    expect(prompts).toMatchObject([{ messageId: sessionId }, { messageId }]);
    expect(statesOf(updates)[0]).toBe("running");
    await editor.sees(isIdle(1));
    expect(messageTextOf(updates)).toBe("heard youI wait.heard you");
    const before = updates.length;
    await agent.request(newSession.resume, resume);
    await editor.sees(() => updates.length === before + 2);
    expect(updates.slice(before)).toMatchObject([
      { sessionUpdate: "usage_update" },
      { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" },
    ]);
    const fork = "session/fork" as `_${string}`;
    const copy = await agent.request<{ sessionId: string }>(fork, resume);
    await editor.sendPrompt(copy.sessionId, "in the copy");
    await editor.sees((all) => all.some((one) => JSON.stringify(one).includes("in the copy")));
    await editor.leave();
  });

  it("are forked, and the copy continues beside the first and in another process", async () => {
    const fixture = project();
    mkdirSync(join(fixture.home, ".cadre"));
    writeFileSync(
      join(fixture.home, ".cadre", "config.yaml"),
      'models: { contextTokens: { "scripted:script.yaml": 5000 } }\n',
    );
    const editor = await openEditorOfProcess(fixture, { words: auto });
    const sessionId = await begin(editor, fixture);
    const request = { sessionId, cwd: fixture.path, mcpServers: [] };
    const empty = await editor.agent.request<NewSessionResponse>("session/fork", request);
    expect(empty.sessionId).not.toBe(sessionId);
    await sendPrompt(editor, sessionId, "hello");
    const copy = await editor.agent.request<NewSessionResponse>("session/fork", request);
    expect(copy.configOptions).toContainEqual(expect.objectContaining({ id: "model" }));
    expect(await sendPrompt(editor, copy.sessionId, "in the copy")).toBe("end_turn");
    expect(await sendPrompt(editor, sessionId, "in the first")).toBe("end_turn");
    await editor.kill();
    const again = await openEditor(fixture);
    await again.agent.request(session.load, { ...request, sessionId: copy.sessionId });
    expect(sentTextOf(again.updates, "user_message_chunk")).toBe("helloin the copy");
    expect(await again.sees((one) => one.sessionUpdate === "usage_update")).toMatchObject({
      used: 25,
      size: 5000,
    });
    await again.leave();
    const { stdout } = await cadre(fixture, ["conversations", "--json"]);
    const { conversations } = JSON.parse(stdout) as { conversations: { turns: number }[] };
    expect(conversations.map(({ turns }) => turns)).toEqual([2, 2]);
  });

  it("keep their agent after commands of the project, and check its trust again", async () => {
    const fixture = createProject({
      "script.yaml": script,
      ".cadre/agents/worker.md": agentFile("worker"),
      ".cadre/recipes/review.yaml": recipe,
      ".claude/commands/state.md":
        "---\ndescription: Says how things are\n---\nThe state is !`echo good`: $ARGUMENTS",
    });
    const editor = await openEditorOfProcess(fixture, { words: auto });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "/worker hello");
    await sendPrompt(editor, sessionId, "/review target=src");
    await editor.kill();
    const again = await openEditor(fixture);
    const request = { sessionId, cwd: fixture.path, mcpServers: [] };
    const loaded = await again.agent.request<NewSessionResponse>(session.load, request);
    expect(loaded.configOptions).toContainEqual(
      expect.objectContaining({ id: "agent", currentValue: "worker" }),
    );
    await expect(sendPrompt(again, sessionId, "/state now")).rejects.toThrow("not trusted");
    await again.leave();
  });
});
