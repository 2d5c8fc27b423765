import { describe, expect, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import {
  connectRaw,
  resourceContentOf,
  createFixture,
  dataOf,
  envelope,
  type McpMessage,
  shakeHands,
  resultTextOf,
} from "./mcp-project.ts";

const isUpdate =
  (uri: string) =>
  ({ method, params }: McpMessage): boolean =>
    method === "notifications/resources/updated" && params?.["uri"] === uri;

describe("resources", () => {
  test("show the todo list of a run in its transcript", async () => {
    const todos = [
      { content: "Look", status: "completed" },
      { content: "Write", status: "in_progress" },
    ];
    const server = await startModelServer(({ turn }) =>
      turn === 0 ? [{ tool: "TodoWrite", input: { todos } }] : "done",
    );
    const project = createFixture(server);
    project.writeAgent("worker");
    const raw = connectRaw(project);
    await shakeHands(raw);
    const { runId } = dataOf(await raw.call("agent", { type: "worker", prompt: "go" }));
    const uri = `cadre://runs/${runId}/transcript`;
    expect(resourceContentOf(await raw.ask("resources/read", { uri }))).toContain(
      "## Todos: 1 of 2 done, now: Write\n\n```\n[x] Look\n[>] Write\n```\n\n## Result",
    );
  });

  test("are the agents, the runs page by page, each run, and its transcript", async () => {
    const server = await startModelServer(({ turn, task }) =>
      turn === 0 ? [{ tool: "LS", input: {} }] : `# done\n\`\`\`\n${task}`,
    );
    const project = createFixture(server);
    project.writeAgent("worker");
    project.write(".cadre/agents/broken.md", "---\nname: broken\n---\nx\n");
    const raw = connectRaw(project);
    await shakeHands(raw);
    const { runId } = dataOf(await raw.call("agent", { type: "worker", prompt: "# go" }));
    const read = async (uri: string): Promise<string> =>
      resourceContentOf(await raw.ask("resources/read", { uri }));
    const agents = JSON.parse(await read("cadre://agents")) as object[];
    expect(agents.slice(0, 3)).toMatchObject([
      { name: "broken", isUsable: false, diagnostics: [{ severity: "error" }] },
      { name: "worker", isUsable: true },
      { name: "main", isUsable: true },
    ]);
    expect(JSON.parse(await read(`cadre://runs/${runId}`))).toMatchObject({
      run: { id: runId, result: { status: "succeeded" } },
      family: [{ id: runId, transcript: `cadre://runs/${runId}/transcript` }],
    });
    const transcript = await read(`cadre://runs/${runId}/transcript`);
    expect(transcript).toMatch(/^# worker \(/);
    // An agent's text cannot be mistaken for a heading of the transcript.
    expect(transcript).toContain("## Task\n\n```\n# go\n```");
    expect(transcript).toContain("## Said\n\n````\n# done\n```\n# go\n````");
    const templates = await raw.ask("resources/templates/list");
    expect(templates.result?.["resourceTemplates"]).toHaveLength(2);
    for (const uri of ["cadre://runs/nothing", "cadre://nothing", "file:///etc/passwd", "x"]) {
      expect((await raw.ask("resources/read", { uri })).error).toMatchObject({
        code: -32602,
        data: { uri },
      });
    }
    const completed = await raw.ask("completion/complete", {
      ref: { type: "ref/resource", uri: "cadre://runs/{id}/transcript" },
      argument: { name: "id", value: runId?.slice(0, 5) },
    });
    expect(completed.result).toMatchObject({ completion: { values: [runId] } });
  });

  test("come in pages", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    await raw.call("sessions_spawn", {
      task: Array.from({ length: 60 }, () => "x"),
      parallel: true,
    });
    await raw.call("sessions_wait", {});
    const first = await raw.ask("resources/list");
    expect(first.result?.["resources"]).toHaveLength(52);
    const second = await raw.ask("resources/list", { cursor: first.result?.["nextCursor"] });
    expect(second.result?.["resources"]).toHaveLength(10);
    expect(second.result).not.toHaveProperty("nextCursor");
    expect((await raw.ask("resources/list", { cursor: "-1" })).error).toMatchObject({
      code: -32602,
    });
  });
});

describe("changes", () => {
  test("of agents are notified, and the tools then know them", async () => {
    const server = await startModelServer(() => "done");
    const project = createFixture(server);
    const raw = connectRaw(project);
    await shakeHands(raw);
    await raw.ask("tools/list");
    await raw.ask("resources/subscribe", { uri: "cadre://agents" });
    project.writeAgent("newcomer");
    await raw.until(({ method }) => method === "notifications/tools/list_changed");
    await raw.until(isUpdate("cadre://agents"));
    expect(JSON.stringify(await raw.ask("tools/list"))).toContain("- newcomer: plays newcomer");
    expect(resultTextOf(await raw.call("agent", { type: "newcomer", prompt: "x" }))).toBe("done");
  });

  test("of runs are notified to subscribers only", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    await raw.ask("resources/subscribe", { uri: "cadre://runs" });
    await raw.call("agent", { type: "main", prompt: "x" });
    await raw.until(({ method }) => method === "notifications/resources/list_changed");
    await raw.until(isUpdate("cadre://runs"));
    await raw.ask("resources/unsubscribe", { uri: "cadre://runs" });
    const before = raw.messages.length;
    await raw.call("agent", { type: "main", prompt: "y" });
    const since = raw.messages.slice(before);
    expect(since.filter(({ method }) => method?.endsWith("updated"))).toEqual([]);
  });

  test("are notified on the stream that a client of 2026-07-28 opened for them", async () => {
    const server = await startModelServer(() => "done");
    const project = createFixture(server);
    const raw = connectRaw(project);
    await raw.ask("tools/list", envelope());
    raw.send({
      id: 800,
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true }, ...envelope() },
    });
    await raw.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    project.writeAgent("newcomer");
    await raw.until(({ method }) => method === "notifications/tools/list_changed");
  });
});
