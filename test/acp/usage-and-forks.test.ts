import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods, type NewSessionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, createProject, type Project } from "../cli/command-line.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { begin, openEditor, sendPrompt } from "./acp-client.ts";

const script = `
scripts:
  - when: { agent: worker }
    reply: { text: worker is done, usage: { inputTokens: 7, outputTokens: 1 } }
  - when: { last: delegate }
    reply:
      calls: [{ tool: Agent, input: { type: worker, prompt: count the files } }]
      usage: { inputTokens: 10, outputTokens: 2 }
  - when: { last: dawdle }
    reply: { text: slow, calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you, usage: { inputTokens: 20, outputTokens: 5 } }
`;

const config = `
models:
  aliases: { quick: "scripted:script.yaml", dear: "openai:gpt-5" }
  contextTokens: { "scripted:script.yaml": 5000 }
`;

function project(): Project {
  const fixture = createProject({
    "script.yaml": script,
    ".cadre/agents/worker.md": agentFile("worker"),
  });
  // A project's models are used only when the project is trusted.
  mkdirSync(join(fixture.home, ".cadre"), { recursive: true });
  writeFileSync(join(fixture.home, ".cadre", "config.yaml"), config);
  return fixture;
}

const { session } = methods.agent;

describe.concurrent("cadre acp", () => {
  it("reports how full the context is after each reply", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto"] });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "delegate");
    const updates = editor.updates.filter((one) => one.sessionUpdate === "usage_update");
    const size = 5000;
    expect(updates).toMatchObject([
      { used: 12, size },
      { used: 12, size },
      { used: 25, size },
    ]);
    await editor.leave();
  });

  it("reports the context size that is configured for the model's server", async () => {
    const server = await startModelServer(() => "heard you");
    const fixture = project();
    const file = join(fixture.home, ".cadre", "config.yaml");
    const mock = `{ baseUrl: "${server.baseUrl}", contextTokens: 7000 }`;
    writeFileSync(file, `models: { endpoints: { mock: ${mock} } }\n`);
    const editor = await openEditor(fixture, { words: ["--model", "mock:mock"] });
    await sendPrompt(editor, await begin(editor, fixture), "hello");
    const updates = editor.updates.filter((one) => one.sessionUpdate === "usage_update");
    expect(updates.at(-1)).toMatchObject({ size: 7000 });
    await editor.leave();
  });

  it("refuses to fork a turn that did not succeed, and a session that does not exist", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto", "--sandbox", "off"] });
    const sessionId = await begin(editor, fixture);
    const request = { sessionId, cwd: fixture.path, mcpServers: [] };
    const turn = sendPrompt(editor, sessionId, "dawdle");
    await editor.sees((one) => one.sessionUpdate === "tool_call");
    await expect(editor.agent.request("session/fork", request)).rejects.toThrow("it is running");
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    await expect(editor.agent.request("session/fork", request)).rejects.toThrow("it is cancelled");
    const unknown = editor.agent.request("session/fork", { ...request, sessionId: "no-one" });
    await expect(unknown).rejects.toMatchObject({ code: -32002 });
    await expect(editor.agent.request("session/fork", {})).rejects.toMatchObject({ code: -32602 });
    await editor.leave();
  });

  it("offers models and budgets, which apply from the next turn", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: ["--mode", "auto"] });
    const request = { cwd: fixture.path, mcpServers: [] };
    const created = await editor.agent.request<NewSessionResponse>(session.new, request);
    const { sessionId } = created;
    expect(created.configOptions).toMatchObject([
      { id: "mode" },
      { id: "agent" },
      { id: "model", category: "model", currentValue: "default" },
      { id: "budget", currentValue: "default" },
    ]);
    const set = async (configId: string, value: string) =>
      await editor.agent.request(session.setConfigOption, { sessionId, configId, value });
    await set("model", "quick");
    const { configOptions } = await set("budget", "tokens-200000");
    expect(configOptions).toMatchObject([
      {},
      {},
      { currentValue: "quick" },
      { currentValue: "tokens-200000" },
    ]);
    await sendPrompt(editor, sessionId, "hello");
    const { stdout } = await cadre(fixture, ["events", "last", "--json"]);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
      spec: { budget: { tokens: 200_000 }, reasons: { model: "the call" } },
    });
    await expect(set("model", "none")).rejects.toThrow("one of default, quick, dear");
    await expect(set("colour", "red")).rejects.toThrow("one of mode, agent, model, budget");
    await editor.leave();
  });
});
