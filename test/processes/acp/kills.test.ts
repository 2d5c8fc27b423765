import { methods } from "@agentclientprotocol/sdk";
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
import { createProject, type Project } from "../../cli/command-line.ts";

const script = `
scripts:
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you }
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
});
