import { methods } from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/command-line.ts";
import { beginNew, openNewEditor, statesOf } from "./version-2-client.ts";

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
