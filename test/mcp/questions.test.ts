import { describe, expect, test } from "vitest";
import { agentCall, type ServerTurn, startModelServer } from "../fixtures/model-server.ts";
import {
  createFixture,
  envelope,
  type McpProject,
  type McpMessage,
  shakeHands,
  connectRaw,
  resourceContentOf,
  dataOf,
  questionOf,
  startedRun,
  resultTextOf,
} from "./mcp-project.ts";
import { mcpServer } from "../fixtures/process/bundled-program.ts";

/** A family in which the child wants to write a file. */
function writingFamily({ agent, turn, last }: ServerTurn) {
  if (turn > 0) return `${agent} heard: ${last.join(" ")}`;
  if (agent === "main") return [agentCall("writer", "write")];
  return [{ tool: "Write", input: { file_path: "note.txt", content: "hello" } }];
}

async function createWritingFixture(): Promise<McpProject> {
  const project = createFixture(await startModelServer(writingFamily));
  project.writeAgent("writer");
  return project;
}

const isRequest =
  (method: string) =>
  (message: McpMessage): boolean =>
    message.method === method && message.id !== undefined;

const call = { name: "agent", arguments: { type: "main", prompt: "go" } };

describe("approvals for a client of 2025-11-25", () => {
  test.each([
    [
      { action: "accept", content: { decision: "allow once" } },
      /^main heard: writer heard: (?!.*not approved)/,
    ],
    [
      { action: "accept", content: { decision: "allow the rule", rule: "Write(note.txt)" } },
      /^main heard: writer heard: (?!.*not approved)/,
    ],
    [
      { action: "accept", content: { decision: "allow the rule" } },
      /not approved: the user allowed a rule and named none/,
    ],
    [
      { action: "accept", content: { decision: "deny", reason: "not now" } },
      /not approved: not now/,
    ],
    [{ action: "decline" }, /the user said no/],
    [{ action: "cancel" }, /not approved: the user did not answer/],
    [{ action: "accept", content: { decision: "perhaps" } }, /could not be read/],
  ])("are requested from its user: %j", async (answer, outcome) => {
    const raw = connectRaw(await createWritingFixture());
    await shakeHands(raw, { elicitation: {} });
    raw.send({ id: 700, method: "tools/call", params: call });
    const question = await raw.until(isRequest("elicitation/create"));
    expect(question.params).toMatchObject({
      mode: "form",
      message: expect.stringMatching(/^main > writer wants to use Write: .*note\.txt/),
      requestedSchema: {
        type: "object",
        required: ["decision"],
        properties: { rule: { default: "Write(note.txt)" } },
      },
    });
    raw.send({ id: question.id ?? null, result: answer });
    const answered = await raw.until(({ id, method }) => id === 700 && method === undefined);
    expect(resultTextOf(answered)).toMatch(outcome);
  });

  test("are denied if the client cannot ask, or declines to ask", async () => {
    const without = connectRaw(await createWritingFixture());
    await shakeHands(without);
    const denied = await without.call("agent", call.arguments);
    expect(JSON.stringify(denied.result)).toContain("it does not offer elicitation");
    await without.end();
    const unwilling = connectRaw(await createWritingFixture());
    await shakeHands(unwilling, { elicitation: { form: {} } });
    unwilling.send({ id: 700, method: "tools/call", params: call });
    const { id = null } = await unwilling.until(isRequest("elicitation/create"));
    unwilling.send({ id, error: { code: -32603, message: "no window" } });
    const { result } = await unwilling.until((message) => message.id === 700);
    expect(JSON.stringify(result)).toContain("no window");
  });

  test("of background runs are requested too, and withdrawn when the run is cancelled", async () => {
    const raw = connectRaw(await createWritingFixture());
    await shakeHands(raw, { elicitation: {} });
    await raw.call("sessions_spawn", { task: "go", label: "back" });
    const { id } = await raw.until(isRequest("elicitation/create"));
    const listed = await raw.call("sessions_list", {});
    expect(JSON.stringify(listed.result)).toContain("awaiting-approval");
    await raw.call("sessions_cancel", { label: "back" });
    const taken = await raw.until(({ method }) => method === "notifications/cancelled");
    expect(taken.params).toMatchObject({ requestId: id });
  });

  test("are withdrawn when the call is cancelled, and its run with it", async () => {
    const raw = connectRaw(await createWritingFixture());
    await shakeHands(raw, { elicitation: {} });
    raw.send({ id: 700, method: "tools/call", params: call });
    const { id } = await raw.until(isRequest("elicitation/create"));
    raw.send({ method: "notifications/cancelled", params: { requestId: 700, reason: "enough" } });
    const taken = await raw.until(({ method }) => method === "notifications/cancelled");
    expect(taken.params).toMatchObject({ requestId: id });
    const { runs = [] } = dataOf(await raw.call("sessions_list", {}));
    const waited = await raw.call("sessions_wait", { runIds: runs.map(({ runId }) => runId) });
    const cancelled = { status: "cancelled" };
    expect(dataOf(waited)).toMatchObject({ results: [cancelled, cancelled] });
  });

  test("without an answer are requested again by the server that continues the run", async () => {
    const project = await createWritingFixture();
    const raw = connectRaw(project);
    await shakeHands(raw, { elicitation: {} });
    const begun = await raw.call("sessions_spawn", { task: "go" });
    await raw.until(isRequest("elicitation/create"));
    await raw.end();
    const later = connectRaw(project);
    await shakeHands(later, { elicitation: {} });
    const params = { name: "sessions_wait", arguments: { runIds: startedRun(begun) } };
    later.send({ id: 700, method: "tools/call", params });
    const { id = null } = await later.until(isRequest("elicitation/create"));
    later.send({ id, result: { action: "accept", content: { decision: "allow always" } } });
    const { result } = await later.until((message) => message.id === 700);
    expect(JSON.stringify(result)).toContain("writer heard");
  });
});

describe("approvals for a client of 2026-07-28", () => {
  test("are returned as required input, and the next round continues the same run", async () => {
    const project = await createWritingFixture();
    const raw = connectRaw(project);
    const capabilities = { elicitation: { form: {} } };
    const first = await raw.ask("tools/call", { ...call, ...envelope(capabilities) });
    expect(first.result).toMatchObject({ resultType: "input_required" });
    const { key, request: question, requestState: firstState } = questionOf(first);
    expect(question).toMatchObject({ method: "elicitation/create" });
    expect(question.params.message).toContain("main > writer wants to use Write");

    const second = { ...call, requestState: firstState, ...envelope(capabilities) };
    const unanswered = await raw.ask("tools/call", { ...second, inputResponses: {} });
    expect(unanswered.result).toMatchObject({ resultType: "input_required" });
    const { requestState } = questionOf(unanswered);
    const round = { ...second, requestState };
    for (const state of [`${String(requestState)}x`, firstState, ""]) {
      const stolen = await raw.ask("tools/call", { ...round, requestState: state });
      expect(stolen.error).toMatchObject({
        code: -32602,
        message: "Invalid or expired requestState",
      });
    }
    const answered = await raw.ask("tools/call", {
      ...round,
      inputResponses: {
        [key]: { action: "accept", content: { decision: "allow once" } },
        other: { action: "accept", content: {} },
      },
    });
    expect(answered.result).toMatchObject({ resultType: "complete" });
    expect(JSON.stringify(answered.result)).toContain("main heard: writer heard");
    const again = await raw.ask("tools/call", round);
    expect(again.error).toMatchObject({ code: -32602 });
    const runs = await raw.ask("tools/call", {
      name: "sessions_list",
      arguments: {},
      ...envelope(capabilities),
    });
    expect(dataOf(runs).runs).toHaveLength(2);
  });

  test("are denied if the request does not declare that its client can ask", async () => {
    const raw = connectRaw(await createWritingFixture());
    const { result } = await raw.ask("tools/call", { ...call, ...envelope() });
    expect(JSON.stringify(result)).toContain("it does not offer elicitation");
  });
});

describe("questions of the MCP servers that runs use", () => {
  test("are forwarded to the user of the client, with the asking server", async () => {
    const server = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "mcp__test__greet", input: {} }] : last.join(),
    );
    const project = createFixture(server);
    const extensions = { test: { command: process.execPath, args: [mcpServer] } };
    project.write(".cadre/config.yaml", JSON.stringify({ extensions }));
    const raw = connectRaw(project, { trust: true, mode: "auto" });
    await shakeHands(raw, { elicitation: {} });
    raw.send({ id: 700, method: "tools/call", params: call });
    const question = await raw.until(isRequest("elicitation/create"));
    expect(question.params).toMatchObject({
      message: "The MCP server test, used by main, asks:\n\nWho are you?",
      requestedSchema: { properties: { name: { type: "string" } } },
    });
    const result = { action: "accept", content: { name: "Ada" } };
    raw.send({ id: question.id ?? null, result });
    const answered = await raw.until(({ id, method }) => id === 700 && method === undefined);
    expect(resultTextOf(answered)).toContain("hello Ada");
  });
});

describe("the client's model, if no other is configured,", () => {
  test("is called through sampling, without tools if the client does not support them", async () => {
    const raw = connectRaw(createFixture());
    await shakeHands(raw, { sampling: {} });
    raw.send({ id: 700, method: "tools/call", params: call });
    const asked = await raw.until(isRequest("sampling/createMessage"));
    expect(asked.params).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "go" } }],
      systemPrompt: expect.stringContaining("You cannot use tools here"),
      maxTokens: expect.any(Number),
    });
    expect(asked.params).not.toHaveProperty("tools");
    const content = { type: "text", text: "by the host" };
    raw.send({ id: asked.id ?? null, result: { role: "assistant", model: "m", content } });
    const answered = await raw.until(({ id }) => id === 700);
    expect(dataOf(answered)).toMatchObject({ text: "by the host", cost: null });
    const { runId } = dataOf(answered);
    const read = await raw.ask("resources/read", { uri: `cadre://runs/${runId}` });
    expect(resourceContentOf(read)).toContain('"model": "host:sampling"');
  });

  test("calls tools if the client supports them", async () => {
    const project = createFixture();
    const raw = connectRaw(project);
    await shakeHands(raw, { sampling: { tools: {} } });
    raw.send({ id: 700, method: "tools/call", params: call });
    const first = await raw.until(isRequest("sampling/createMessage"));
    const tools = first.params?.["tools"] as { name: string }[];
    expect(tools.map(({ name }) => name)).toContain("LS");
    const use = { type: "tool_use", id: "u1", name: "LS", input: {} };
    raw.send({
      id: first.id ?? null,
      result: { role: "assistant", model: "m", stopReason: "toolUse", content: [use] },
    });
    const isSecond = (message: McpMessage): boolean =>
      isRequest("sampling/createMessage")(message) && message.id !== first.id;
    const second = await raw.until(isSecond);
    expect(second.params?.["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [use] },
      { role: "user", content: [{ type: "tool_result", toolUseId: "u1" }] },
    ]);
    const content = { type: "text", text: "done" };
    raw.send({ id: second.id ?? null, result: { role: "assistant", model: "m", content } });
    const { result } = await raw.until(({ id }) => id === 700);
    expect(result?.["structuredContent"]).toMatchObject({ text: "done", turns: 2 });
  });

  test("is called in rounds of a client of 2026-07-28", async () => {
    const raw = connectRaw(createFixture());
    const capabilities = { sampling: {} };
    const first = await raw.ask("tools/call", { ...call, ...envelope(capabilities) });
    const { key, request: asked, requestState } = questionOf(first);
    expect(asked).toMatchObject({ method: "sampling/createMessage" });
    const response = { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    const second = await raw.ask("tools/call", {
      ...call,
      requestState,
      inputResponses: { [key]: response },
      ...envelope(capabilities),
    });
    expect(second.result?.["structuredContent"]).toMatchObject({ text: "hi" });
  });

  test("fails the run with the reason if its user refuses; without sampling there is no model", async () => {
    const raw = connectRaw(createFixture());
    await shakeHands(raw, { sampling: {} });
    raw.send({ id: 700, method: "tools/call", params: call });
    const { id = null } = await raw.until(isRequest("sampling/createMessage"));
    raw.send({ id, error: { code: -1, message: "User rejected sampling request" } });
    const { result } = await raw.until((message) => message.id === 700);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain("(host:sampling) gave no answer: User rejected");
    await raw.end();
    const without = connectRaw(createFixture());
    await shakeHands(without);
    const refused = await without.call("agent", call.arguments);
    expect(JSON.stringify(refused.result)).toContain("No model to use: set one of");
  });
});
