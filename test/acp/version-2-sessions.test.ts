import { methods } from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/command-line.ts";
import {
  beginNew,
  isIdle,
  openNewEditor,
  openNewEditorOfProcess,
  statesOf,
  messageTextOf,
} from "./version-2-client.ts";

const script = `
scripts:
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you }
`;

const { session } = methods.agent;
const project = (): Project => createProject({ "script.yaml": script });
const auto = ["--mode", "auto", "--sandbox", "off"];

describe.concurrent("sessions of version 2 of the protocol", () => {
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
    const { sessions } = await agent.request(session.list, { cwd: fixture.path });
    expect(sessions).toMatchObject([{ sessionId, cwd: fixture.path, title: "hello" }]);
    const resume = { sessionId, cwd: fixture.path };
    const wrong = { ...resume, replayFrom: { type: "_message" as const } };
    await expect(agent.request(session.resume, wrong)).rejects.toMatchObject({ code: -32602 });
    const replayFrom = { type: "start" as const };
    const resumed = await agent.request(session.resume, { ...resume, replayFrom });
    expect(resumed.configOptions).toHaveLength(4);
    const prompts = updates.filter((one) => one.sessionUpdate === "user_message");
    expect(prompts).toMatchObject([{ messageId: sessionId }, { messageId }]);
    expect(statesOf(updates)[0]).toBe("running");
    await editor.sees(isIdle(1));
    expect(messageTextOf(updates)).toBe("heard youI wait.heard you");
    const before = updates.length;
    await agent.request(session.resume, resume);
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

  it("are closed after their turn was cancelled, and deleted", async () => {
    const fixture = project();
    const editor = await openNewEditor(fixture, { words: auto });
    const { agent, updates } = editor;
    const sessionId = await beginNew(editor, fixture);
    await editor.sendPrompt(sessionId, "dawdle");
    await agent.request(session.close, { sessionId });
    await editor.sees(() => statesOf(updates).at(-1) === "idle cancelled");
    await expect(editor.sendPrompt(sessionId, "hello")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId },
    });
    await agent.request(session.delete, { sessionId });
    expect((await agent.request(session.list, { cwd: fixture.path })).sessions).toEqual([]);
    await editor.leave();
  });
});
