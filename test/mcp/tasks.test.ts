import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agentCall, hang, startModelServer } from "../fixtures/model-server.ts";
import {
  connectRaw,
  resourceContentOf,
  createFixture,
  dataOf,
  envelope,
  type McpMessage,
  type RawClient,
  shakeHands,
} from "./mcp-project.ts";

const call = { name: "agent", arguments: { type: "main", prompt: "go" } };
const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Polls the status of a task until it has ended. The server answers each time. */
async function poll(raw: RawClient, taskId: unknown, more: object = {}): Promise<McpMessage> {
  for (;;) {
    const answer = await raw.ask("tasks/get", { taskId, ...more });
    if (answer.result?.["status"] !== "working") return answer;
    // Client and server share a process here, and the run needs CPU time.
    await setImmediate();
  }
}

describe("tasks of 2025-11-25", () => {
  test("are runs: they are requested, read, listed, and return the result of the call", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const created = await raw.ask("tools/call", { ...call, task: { ttl: 60_000 } });
    const task = created.result?.["task"] as { taskId: string };
    expect(task).toMatchObject({
      taskId: expect.any(String),
      status: "working",
      ttl: null,
      pollInterval: expect.any(Number),
      createdAt: expect.stringMatching(/^\d{4}-/),
    });
    const { taskId } = task;
    const result = await raw.ask("tasks/result", { taskId });
    expect(result.result).toMatchObject({
      content: [{ type: "text", text: "done" }],
      structuredContent: { status: "succeeded" },
      _meta: { "io.modelcontextprotocol/related-task": { taskId } },
    });
    expect((await poll(raw, taskId)).result).toMatchObject({ taskId, status: "completed" });
    const listed = await raw.ask("tasks/list");
    expect(listed.result?.["tasks"]).toMatchObject([{ taskId, status: "completed" }]);
    expect((await raw.ask("tasks/cancel", { taskId })).error?.message).toContain(
      "has ended before",
    );
    expect((await raw.ask("tasks/get", { taskId: "nothing" })).error).toMatchObject({
      code: -32602,
    });
    expect((await raw.ask("tasks/list", { cursor: "x" })).error).toMatchObject({ code: -32602 });
    const wrong = { name: "agent", arguments: { type: "nobody", prompt: "x" }, task: {} };
    expect((await raw.ask("tools/call", wrong)).result).toMatchObject({ isError: true });
  });

  test("are reported while they are active: their progress, questions and end", async () => {
    const server = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
    );
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw, { elicitation: {} });
    const created = await raw.ask("tools/call", { ...call, task: {}, _meta: { progressToken: 9 } });
    const { task, _meta: about } = created.result as Record<string, unknown>;
    const { taskId } = task as { taskId: string };
    expect(JSON.stringify(about)).toContain(`main is running as run ${taskId}`);
    const _meta = { "io.modelcontextprotocol/related-task": { taskId } };
    const question = await raw.until(({ method }) => method === "elicitation/create");
    expect(question.params).toMatchObject({ _meta });
    const isStatus =
      (status: string) =>
      ({ method, params }: McpMessage): boolean =>
        method === "notifications/tasks/status" && params?.["status"] === status;
    const asking = await raw.until(isStatus("input_required"));
    expect(asking.params).toMatchObject({ taskId, createdAt: expect.any(String), ttl: null });
    const result = { action: "accept", content: { decision: "allow once" } };
    raw.send({ id: question.id ?? null, result });
    await raw.until(isStatus("working"));
    await raw.until(isStatus("completed"));
    const progress = raw.messages.filter(({ method }) => method === "notifications/progress");
    expect(progress.map(({ params }) => params?.["message"])).toContain("main: succeeded");
    for (const { params } of progress) expect(params).toMatchObject({ progressToken: 9, _meta });
  });

  test("are runs without a parent of the tools that support tasks, and nothing else", async () => {
    const server = await startModelServer(({ agent, turn }) =>
      agent === "main" && turn === 0 ? [agentCall("worker", "help")] : "done",
    );
    const project = createFixture(server);
    project.writeAgent("worker");
    const raw = connectRaw(project);
    await shakeHands(raw);
    const wrong = { name: "sessions_list", arguments: {}, task: {} };
    expect((await raw.ask("tools/call", wrong)).error).toMatchObject({ code: -32601 });
    const { runId = "" } = dataOf(await raw.call("agent", call.arguments));
    const list = await raw.ask("resources/read", { uri: `cadre://runs/${runId}` });
    const { family } = JSON.parse(resourceContentOf(list)) as { family: { id: string }[] };
    const child = family.find(({ id }) => id !== runId);
    expect((await raw.ask("tasks/get", { taskId: runId })).result).toMatchObject({ taskId: runId });
    expect((await raw.ask("tasks/get", { taskId: child?.id })).error).toMatchObject({
      code: -32602,
    });
  });

  test("are cancelled, or found by another server, which continues them", async () => {
    let isLater = false;
    const server = await startModelServer(() => (isLater ? "done" : hang));
    const project = createFixture(server);
    const raw = connectRaw(project);
    await shakeHands(raw);
    const ids: string[] = [];
    for (const prompt of ["one", "two"]) {
      const arguments_ = { type: "main", prompt };
      const created = await raw.ask("tools/call", {
        name: "agent",
        arguments: arguments_,
        task: {},
      });
      const task = created.result?.["task"] as { taskId: string };
      ids.push(task.taskId);
    }
    await server.hung(2);
    const cancelled = await raw.ask("tasks/cancel", { taskId: ids[0] });
    expect(cancelled.result).toMatchObject({ taskId: ids[0], status: "cancelled" });
    await raw.end();
    await server.released();
    isLater = true;
    const later = connectRaw(project);
    await shakeHands(later);
    const result = await later.ask("tasks/result", { taskId: ids[1] });
    expect(result.result).toMatchObject({ structuredContent: { text: "done" } });
    expect((await later.ask("tasks/get", { taskId: ids[0] })).result?.["status"]).toBe("cancelled");
  });
});

describe("tasks of 2026-07-28", () => {
  test("represent every run of a client that supports them, and contain the result at the end", async () => {
    const server = await startModelServer(({ task }) => (task.startsWith("fail") ? "" : "done"));
    const project = createFixture(server);
    const raw = connectRaw(project);
    const created = await raw.ask("tools/call", { ...call, ...envelope(tasks) });
    expect(created.result).toMatchObject({
      resultType: "task",
      taskId: expect.any(String),
      status: "working",
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
    });
    expect(created.result).not.toHaveProperty("task");
    const taskId = created.result?.["taskId"];
    const ended = await poll(raw, taskId, envelope(tasks));
    expect(ended.result).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { structuredContent: { text: "done" } },
    });
    expect((await raw.ask("tasks/cancel", { taskId, ...envelope(tasks) })).error).toBeUndefined();
    const unknown = await raw.ask("tasks/get", { taskId: "nothing", ...envelope(tasks) });
    expect(unknown.error).toMatchObject({ code: -32602 });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const refused = await raw.ask(method, { taskId, inputResponses: {}, ...envelope() });
      expect(refused.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: tasks },
      });
    }
    for (const method of ["tasks/list", "tasks/result"]) {
      expect((await raw.ask(method, { taskId, ...envelope(tasks) })).error?.code).toBe(-32601);
    }
    const plain = await raw.ask("tools/call", { ...call, ...envelope() });
    expect(plain.result).toMatchObject({ resultType: "complete" });
  });

  test("request input and receive it with tasks/update", async () => {
    const server = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
    );
    const raw = connectRaw(createFixture(server));
    const capabilities = { ...tasks, elicitation: {} };
    const created = await raw.ask("tools/call", { ...call, ...envelope(capabilities) });
    const taskId = created.result?.["taskId"];
    const waiting = await poll(raw, taskId, envelope(capabilities));
    expect(waiting.result).toMatchObject({ status: "input_required" });
    const [key = ""] = Object.keys(waiting.result?.["inputRequests"] as object);
    const updated = await raw.ask("tasks/update", {
      taskId,
      inputResponses: { [key]: { action: "accept", content: { decision: "deny", reason: "no" } } },
      ...envelope(capabilities),
    });
    expect(updated.result).toMatchObject({ resultType: "complete" });
    const ended = await poll(raw, taskId, envelope(capabilities));
    expect(JSON.stringify(ended.result)).toContain("not approved: no");
  });

  test("are cancelled", async () => {
    const server = await startModelServer(() => hang);
    const raw = connectRaw(createFixture(server));
    const created = await raw.ask("tools/call", { ...call, ...envelope(tasks) });
    const taskId = created.result?.["taskId"];
    await server.hung(1);
    await raw.ask("tasks/cancel", { taskId, ...envelope(tasks) });
    await server.released();
    const ended = await poll(raw, taskId, envelope(tasks));
    expect(ended.result).toMatchObject({ status: "cancelled" });
  });
});
