import { createInterface } from "node:readline";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it, vi } from "vitest";
import { cadre, createProject, type Project } from "../cli/command-line.ts";
import { begin, openEditor, sendPrompt } from "./acp-client.ts";
import { type AcpConnection, startAcp } from "./start-acp.ts";

const script = `
scripts:
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one" } }] }
  - when: { last: show }
    reply: { calls: [{ tool: Bash, input: { command: "printf '\\\\033[31mone\\\\n'; until [ -e seen ]; do sleep 0.02; done; echo two; exit 3" } }] }
  - when: { last: flood }
    reply: { calls: [{ tool: Bash, input: { command: "yes 0123456789 | head -c 3000000" } }] }
  - when: { last: dawdle }
    reply: { text: I wait., calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: heard you }
`;

const { session } = methods.agent;
/** The time limit of a wait when many tests run at once, in milliseconds. */
const slow = { timeout: 120_000 };
const auto = ["--mode", "auto", "--sandbox", "off"];
const project = (): Project => createProject({ "script.yaml": script });

interface Raw extends Pick<AcpConnection, "leave"> {
  send(message: object | string): void;
  /** The messages so far. */
  received: { id?: number | null; error?: { code: number }; result?: object; method?: string }[];
}

/** Communicates with `cadre acp` without a client. */
function openRaw({ input, output, leave }: AcpConnection): Raw {
  const received: Raw["received"] = [];
  createInterface({ input: output }).on("line", (line) => {
    received.push(JSON.parse(line) as Raw["received"][number]);
  });
  const send = (message: object | string): void => {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    input.write(`${text}\n`);
  };
  return { leave, send, received };
}

const initialize = (protocolVersion: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, clientInfo: { name: "raw", version: "1" } },
});

describe.concurrent("an editor that misbehaves", () => {
  it("is answered after invalid JSON, unknown methods and versions, and answers without a request", async () => {
    const { send, received, leave } = openRaw(startAcp(project(), auto));
    send({ jsonrpc: "2.0", id: 0, method: "session/list", params: {} });
    send(initialize("one"));
    send("{ this is no JSON");
    send([]);
    send(initialize(1));
    await vi.waitUntil(() => received.some(({ result }) => result !== undefined), slow);
    expect(
      received.filter(({ error }) => error !== undefined).map(({ id, error }) => [id, error?.code]),
    ).toEqual(
      expect.arrayContaining([
        [0, -32600],
        [1, -32602],
      ]),
    );
    send({ jsonrpc: "2.0", id: 2, method: "nothing/known", params: {} });
    send({ jsonrpc: "2.0", method: "nothing/known", params: {} });
    send({
      jsonrpc: "2.0",
      id: 999,
      result: { outcome: { outcome: "selected", optionId: "once" } },
    });
    send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "no-one" } });
    send("{ this is no JSON either");
    send({ jsonrpc: "2.0", id: 3, method: "session/list", params: {} });
    await vi.waitUntil(() => received.some(({ id }) => id === 3), slow);
    expect(received.find(({ id }) => id === 2)).toMatchObject({ error: { code: -32601 } });
    expect(received.find(({ id }) => id === 3)).toMatchObject({ result: { sessions: [] } });
    const { code, stderr } = await leave();
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("may request a version that is too new", async () => {
    const { send, received, leave } = openRaw(startAcp(project(), auto));
    send(initialize(7));
    await vi.waitUntil(() => received.length > 0, slow);
    expect(received).toMatchObject([{ id: 1, result: { protocolVersion: 2 } }]);
    expect((await leave()).code).toBe(0);
  });

  it("may answer a question after the end of its turn", async () => {
    const fixture = project();
    const late = Promise.withResolvers<string>();
    const editor = await openEditor(fixture, {
      extend: (app) =>
        app.onRequest(methods.client.session.requestPermission, async () => ({
          outcome: { outcome: "selected", optionId: await late.promise },
        })),
      choose: () => undefined,
    });
    const sessionId = await begin(editor, fixture);
    const turn = sendPrompt(editor, sessionId, "write it");
    await editor.sees((one) => one.sessionUpdate === "tool_call");
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    late.resolve("once");
    expect(await sendPrompt(editor, sessionId, "hello")).toBe("end_turn");
    expect((await editor.leave()).stderr).toBe("");
  });

  it("gets an error for a pruned session, one of another project, and for unsupported servers", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: auto });
    const sessionId = await begin(editor, fixture);
    await sendPrompt(editor, sessionId, "hello");
    await editor.agent.request(session.close, { sessionId });
    const load = { sessionId, cwd: fixture.path, mcpServers: [] };
    const other = project();
    const foreign = editor.agent.request(session.load, { ...load, cwd: other.path });
    await expect(foreign).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(fixture.path),
    });
    const { code } = await cadre(fixture, ["prune", "--older-than", "0s"]);
    expect(code).toBe(0);
    await expect(editor.agent.request(session.load, load)).rejects.toMatchObject({ code: -32002 });
    const url = "http://127.0.0.1:1/sse";
    const sse = [{ type: "sse" as const, name: "old", url, headers: [] }];
    await expect(
      editor.agent.request(session.new, { cwd: fixture.path, mcpServers: sse }),
    ).rejects.toThrow("old, a server of the type sse");
    const audio = { type: "audio" as const, data: "", mimeType: "audio/wav" };
    const again = await begin(editor, fixture);
    await expect(
      editor.agent.request(session.prompt, { sessionId: again, prompt: [audio] }),
    ).rejects.toThrow("got audio");
    await editor.leave();
  });

  it("keeps up with a command that writes a lot", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: auto });
    const sessionId = await begin(editor, fixture);
    expect(await sendPrompt(editor, sessionId, "flood")).toBe("end_turn");
    const shown = JSON.stringify(editor.updates).length;
    expect(shown).toBeLessThan(3_000_000);
    await editor.leave();
  });
});

describe.concurrent("the output of a command", () => {
  it("is shown as text while it runs, without control sequences", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, { words: auto });
    const sessionId = await begin(editor, fixture);
    const turn = sendPrompt(editor, sessionId, "show it");
    const live = await editor.sees(
      (one) => one.sessionUpdate === "tool_call_update" && JSON.stringify(one).includes("one"),
    );
    expect(live).toMatchObject({ content: [{ type: "content", content: { text: "one\n" } }] });
    fixture.write("seen", "");
    expect(await turn).toBe("end_turn");
    const end = editor.updates.findLast((one) => one.sessionUpdate === "tool_call_update");
    expect(end).toMatchObject({
      status: "failed",
      content: [{ content: { text: expect.stringMatching(/^one\ntwo\n\n\[Exit code 3\./) } }],
    });
    await editor.leave();
  });

  it("is shown in a terminal of an editor that has one for it", async () => {
    const fixture = project();
    const editor = await openEditor(fixture, {
      words: auto,
      capabilities: { _meta: { terminal_output: true } },
    });
    const sessionId = await begin(editor, fixture);
    const turn = sendPrompt(editor, sessionId, "show it");
    const terminal = `${sessionId}/tool/1/0`;
    expect(await editor.sees((one) => one.sessionUpdate === "tool_call")).toMatchObject({
      content: [{ type: "terminal", terminalId: terminal }],
      _meta: { terminal_info: { terminal_id: terminal } },
    });
    await editor.sees((one) => JSON.stringify(one._meta ?? {}).includes("one"));
    fixture.write("seen", "");
    await turn;
    const metas = editor.updates.map(({ _meta }) => _meta as Record<string, { data?: string }>);
    const data = metas.map((meta) => meta?.["terminal_output"]?.data ?? "").join("");
    expect(data).toMatch(/^one\ntwo\n\n\[Exit code 3\./);
    expect(metas.findLast((meta) => meta?.["terminal_exit"] !== undefined)).toEqual({
      terminal_exit: { terminal_id: terminal, exit_code: 3, signal: null },
    });
    await editor.leave();
  });
});
