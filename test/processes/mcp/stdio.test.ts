import { describe, expect, test } from "vitest";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { startRaw } from "../../mcp/mcp-process.ts";
import {
  connectRaw,
  resourceContentOf,
  createFixture,
  dataOf,
  envelope,
  startedRun,
  resultTextOf,
  type McpMessage,
  shakeHands,
} from "../../mcp/mcp-project.ts";

const isProgress = ({ method }: McpMessage): boolean => method === "notifications/progress";

describe("cadre mcp over stdio", () => {
  test("names the missing flag of the server if an agent needs one", async () => {
    const project = createFixture();
    project.writeAgent("worker", { retry: { max_retries: 1, checks: ["true"] } });
    const raw = startRaw(project);
    await shakeHands(raw);
    const answer = await raw.call("agent", { type: "worker", prompt: "go" });
    expect(resultTextOf(answer)).toContain("the flag `--trust` of `cadre mcp`");
    expect(resultTextOf(answer)).not.toContain("the option");
  });

  test("offers the delegate tools, runs an agent, and reports its progress", async () => {
    const server = await startModelServer(({ agent, task, turn }) =>
      turn === 0 ? [{ tool: "LS", input: {} }] : `${agent} did ${task}`,
    );
    const project = createFixture(server);
    project.writeAgent("worker");
    const run = '() => { console.log("noise"); process.stdout.write("more\\n"); return "quiet"; }';
    const program = `export default { name: "chatty", description: "prints", run: ${run} };`;
    project.write(".cadre/agents/chatty.js", program);
    const raw = startRaw(project, ["--trust"]);
    const { result } = await shakeHands(raw);
    expect(result).toMatchObject({
      protocolVersion: "2025-11-25",
      serverInfo: { name: "cadre", version: expect.stringMatching(/^\d/) },
      capabilities: { tools: { listChanged: true }, resources: {}, tasks: {} },
    });
    const listed = await raw.ask("tools/list");
    expect(listed.result?.["tools"]).toMatchObject(
      ["agent", "subagent", "spawn", "wait", "list", "send", "cancel"].map((name, index) => ({
        name: index < 2 ? name : `sessions_${name}`,
        description: expect.any(String),
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
      })),
    );
    const answer = await raw.call(
      "agent",
      { type: "worker", prompt: "go" },
      { _meta: { progressToken: "p" } },
    );
    expect(answer.result).toMatchObject({
      content: [{ type: "text", text: "worker did go" }],
      structuredContent: { status: "succeeded", text: "worker did go", turns: 2 },
    });
    const progress = raw.messages.filter(isProgress).map(({ params }) => params);
    expect(progress.map((params) => params?.["message"])).toEqual([
      `worker: begins as run ${dataOf(answer).runId}`,
      "worker: turn 1",
      "worker: LS .",
      "worker: turn 2",
      "worker: succeeded",
    ]);
    expect(progress.map((params) => params?.["progress"])).toEqual([1, 2, 3, 4, 5]);
    expect(progress[0]?.["progressToken"]).toBe("p");
    // The output of program agents does not mix with the protocol.
    expect(raw.stderr).toBe("");
    expect(resultTextOf(await raw.call("agent", { type: "chatty", prompt: "x" }))).toBe("quiet");
    await raw.saying(/^noise\nmore\n$/);
    raw.child.stdin?.end();
    expect(await raw.ended).toBe(0);
  });

  test("reports the problem of a call, so that a model can correct it", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const unknown = await raw.call("nothing", {});
    expect(unknown.error).toMatchObject({ code: -32602 });
    expect(unknown.error?.message).toMatch(/Unknown tool: nothing. Available: agent, subagent/);
    expect((await raw.call("constructor", {})).error).toMatchObject({ code: -32602 });
    const nobody = await raw.call("agent", { type: "nobody", prompt: "x" });
    expect(nobody.result).toMatchObject({ isError: true });
    expect(JSON.stringify(nobody.result)).toContain("Available: main");
    const invalid = await raw.call("agent", { prompt: 3 });
    expect(JSON.stringify(invalid.result)).toContain("- type: is missing, expected text");
    expect((await raw.ask("tools/call", { arguments: {} })).error?.code).toBe(-32602);
    expect((await raw.ask("nothing/at/all")).error?.code).toBe(-32601);
    const other = await raw.call("sessions_send", { label: "x", message: "y" });
    expect(JSON.stringify(other.result)).toContain("not a run you started");
    expect((await raw.ask("ping")).result).toEqual({});
  });

  test("lets runs of a connection depend on each other by label, and returns results later", async () => {
    const server = await startModelServer(({ task }) => `<${task}>`);
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const begun = await raw.call("sessions_spawn", { task: "one", label: "first" });
    expect(begun.result?.["structuredContent"]).toMatchObject({ status: "accepted" });
    const second = { task: "two", label: "second", dependsOn: "first" };
    await raw.call("sessions_spawn", { ...second, includeDependencyResult: true });
    const waited = await raw.call("sessions_wait", {});
    expect(dataOf(waited)).toMatchObject({
      results: [
        { label: "first", status: "succeeded" },
        { label: "second", status: "succeeded" },
      ],
    });
    expect(JSON.stringify(waited.result)).toContain("<[Previous step result]");
    const listed = await raw.call("sessions_list", {});
    expect(listed.result?.["structuredContent"]).toMatchObject({
      runs: [{ label: "first" }, { label: "second" }],
    });
  });

  test("answers a hundred calls at once, each with its own result", async () => {
    const server = await startModelServer(({ task }) => `did ${task}`);
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        raw.call("agent", { type: "main", prompt: `task ${index}` }),
      ),
    );
    const texts = answers.map(({ result }) => result?.["structuredContent"] as { text: string });
    expect(texts.map(({ text }) => text)).toEqual(answers.map((_, index) => `did task ${index}`));
  });

  test("ends a run whose call is cancelled, at any stage, without an answer", async () => {
    const server = await startModelServer(() => hang);
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const cancel = (id: number, reason: string): void =>
      raw.send({ method: "notifications/cancelled", params: { requestId: id, reason } });
    const params = { name: "agent", arguments: { type: "main", prompt: "x" } };
    // Before its start, during its model request, and long after its end.
    raw.send({ id: 501, method: "tools/call", params });
    cancel(501, "at once");
    raw.send({ id: 502, method: "tools/call", params });
    await server.hung(1);
    cancel(502, "while it runs");
    await server.released();
    cancel(502, "again");
    cancel(999, "what never was");
    const listed = await raw.call("sessions_list", {});
    const { runs = [] } = dataOf(listed);
    expect(runs.length).toBeGreaterThan(0);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
    expect(raw.messages.filter(({ id }) => id === 501 || id === 502)).toEqual([]);
  });
});

describe("a call whose client times out", () => {
  test.each(["McpError: MCP error -32001: Request timed out", "request timeout"])(
    "leaves its run active, whose id was reported at the beginning: %s",
    async (reason) => {
      const release = Promise.withResolvers<void>();
      const server = await startModelServer(async () => {
        await release.promise;
        return "worth waiting for";
      });
      const raw = connectRaw(createFixture(server));
      await shakeHands(raw);
      const params = { name: "agent", arguments: { type: "main", prompt: "x" } };
      const _meta = { progressToken: 1 };
      raw.send({ id: 700, method: "tools/call", params: { ...params, _meta } });
      const begun = await raw.until(isProgress);
      expect(begun.params?.["message"]).toMatch(/^main: begins as run \S+$/);
      raw.send({ method: "notifications/cancelled", params: { requestId: 700, reason } });
      await raw.ask("ping");
      release.resolve();
      const waited = await raw.call("sessions_wait", {});
      expect(resultTextOf(waited)).toContain("worth waiting for");
      expect(raw.messages.filter((message) => message.id === 700)).toEqual([]);
    },
  );
});

describe("an invalid message", () => {
  test("gets an error, and the connection continues", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    raw.write("{ this is no JSON");
    const parse = await raw.until(({ error }) => error?.code === -32700);
    expect(parse).toMatchObject({ id: null });
    expect(parse.error?.message).toContain("Expected JSON on one line; got");
    const wrong: [string, unknown][] = [
      ["[]", null],
      ['"text"', null],
      ["null", null],
      ['{"jsonrpc":"1.0","id":1,"method":"x"}', 1],
      ['{"jsonrpc":"2.0","id":"mine","method":"x","params":[]}', "mine"],
      ['{"jsonrpc":"2.0","id":1e300,"method":"ping"}', 1e300],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
      ['{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}', 7],
      ['[{"jsonrpc":"2.0","id":8,"method":"ping"}]', null],
    ];
    for (const [line, id] of wrong) {
      const before = raw.messages.length;
      raw.write(line);
      await raw.until(() => raw.messages.length > before);
      expect(raw.messages[before]).toMatchObject({ id, error: { code: -32600 } });
    }
    await shakeHands(raw);
    const id = "x".repeat(100_000);
    raw.write(`\uFEFF${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\r`);
    expect(await raw.until((message) => message.id === id)).toMatchObject({ result: {} });
    expect(raw.log.join("\n")).toContain("refused: Expected JSON on one line");
  });

  test("that is out of order, repeated, or of an unknown version does no harm", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    raw.send({ method: "notifications/initialized" });
    raw.send({ method: "notifications/cancelled", params: {} });
    raw.send({ method: "notifications/cancelled", params: { requestId: {} } });
    raw.send({ method: "notifications/progress", params: { progressToken: 5 } });
    raw.send({ id: 12, result: { nobody: "asked" } });
    expect((await raw.ask("tools/list")).result?.["tools"]).toHaveLength(7);
    const unknown = { protocolVersion: "1999-01-01", capabilities: {} };
    const clientInfo = { name: "raw", version: "1" };
    const answer = await raw.ask("initialize", { ...unknown, clientInfo });
    expect(answer.result).toMatchObject({ protocolVersion: "2025-11-25" });
    expect((await raw.ask("initialize", {})).error).toMatchObject({ code: expect.any(Number) });
    await shakeHands(raw);
    await shakeHands(raw);
    const answered = await raw.call("agent", { type: "main", prompt: "x" });
    expect(resultTextOf(answered)).toBe("done");
    const later = connectRaw(createFixture(server));
    const { _meta } = envelope({}, { "io.modelcontextprotocol/protocolVersion": "2030-01-01" });
    expect((await later.ask("tools/list", { _meta })).error).toMatchObject({ code: -32022 });
    expect((await later.ask("tools/list", envelope())).result?.["tools"]).toHaveLength(7);
  });

  test("a message that is too long is skipped, and the next one is read", async () => {
    const server = await startModelServer(() => "done");
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const piece = "x".repeat(1024 * 1024);
    for (let count = 0; count < 65; count += 1) raw.writePart(piece);
    raw.write("");
    const refused = await raw.until(({ error }) => error !== undefined);
    expect(refused.error?.message).toContain("at most 67108864 bytes");
    expect((await raw.ask("ping")).result).toEqual({});
  });

  test("a second request with the id of an unanswered one is refused", async () => {
    const server = await startModelServer(() => hang);
    const raw = connectRaw(createFixture(server));
    await shakeHands(raw);
    const params = { name: "agent", arguments: { type: "main", prompt: "x" } };
    raw.send({ id: "same", method: "tools/call", params });
    await server.hung(1);
    raw.send({ id: "same", method: "tools/call", params });
    const refused = await raw.until(({ error }) => error !== undefined);
    expect(refused.error?.message).toContain('The id "same" belongs to a request');
    raw.send({ method: "notifications/cancelled", params: { requestId: "same" } });
    await server.released();
    raw.send({ id: "same", method: "ping" });
    expect(await raw.until(({ id }) => id === "same")).toMatchObject({ result: {} });
    expect(server.turns).toHaveLength(1);
  });
});

describe("a connection that ends", () => {
  test.each(["killed", "left"])(
    "loses no run when %s: a later server continues it by its id",
    async (how) => {
      let isLater = false;
      const server = await startModelServer(() => (isLater ? "done after all" : hang));
      const project = createFixture(server);
      const raw = how === "killed" ? startRaw(project) : connectRaw(project);
      await shakeHands(raw);
      const waiting = { type: "main", prompt: "in the foreground" };
      raw.send({ id: 900, method: "tools/call", params: { name: "agent", arguments: waiting } });
      await server.hung(1);
      const begun = await raw.call("sessions_spawn", { task: "in the background" });
      await server.hung(2);
      if ("child" in raw) raw.child.kill("SIGKILL");
      else raw.hangUp();
      await raw.ended;
      await server.released();

      isLater = true;
      const later = connectRaw(project);
      await shakeHands(later);
      const waited = await later.call("sessions_wait", { runIds: startedRun(begun) });
      expect(JSON.stringify(waited.result)).toContain("done after all");
      const list = await later.ask("resources/read", { uri: "cadre://runs" });
      const known = JSON.parse(resourceContentOf(list)) as { id: string; task: string }[];
      const foreground = known.find(({ task }) => task === "in the foreground");
      const fetched = await later.call("sessions_wait", { runIds: foreground?.id });
      expect(JSON.stringify(fetched.result)).toContain("done after all");
    },
  );
});
