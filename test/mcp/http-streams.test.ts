import { createServer, connect as dial, type AddressInfo, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { beginSession, connect, modernHeaders, openStream, serveMcp } from "./http-fixture.ts";
import { createFixture, envelope, type McpMessage } from "./mcp-project.ts";

/** Starts a proxy to a server that can break all connections at once. */
async function startWeakLine(url: string): Promise<{ url: string; breakAll: () => void }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());
  onTestFinished(() => {
    breakAll();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${target.pathname}`, breakAll };
}

const go = { name: "agent", arguments: { type: "main", prompt: "go" } };

function call(id: number, params: object = go): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

const isQuestion = ({ method }: McpMessage): boolean => method === "elicitation/create";
const answers =
  (id: number) =>
  (message: McpMessage): boolean =>
    message.id === id && message.method === undefined;

describe("a connection that breaks", () => {
  test("is resumed by the official SDK, which gets the answer of its call", async () => {
    const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const model = await startModelServer(async () => {
      asked.resolve();
      await release.promise;
      return "after all";
    });
    const { url } = await serveMcp(createFixture(model));
    const line = await startWeakLine(url);
    const client = await connect(line.url, "legacy");
    const answer = client.callTool(go);
    await asked.promise;
    line.breakAll();
    release.resolve();
    expect((await answer).structuredContent).toMatchObject({ text: "after all" });
    expect(model.turns).toHaveLength(1);
  });

  test("is resumed by its last event; later events are sent, to that stream only", async () => {
    const release = Promise.withResolvers<void>();
    const model = await startModelServer(async ({ task }) => {
      if (task === "go") await release.promise;
      return `did ${task}`;
    });
    const { url } = await serveMcp(createFixture(model));
    const headers = await beginSession(url);
    const first = await openStream(url, { headers }, call(1));
    const lastEvent = await first.firstId;
    first.break();
    const params = { ...go, arguments: { type: "main", prompt: "other" } };
    const other = await openStream(url, { headers }, call(2, params));
    await other.until(answers(2));
    release.resolve();
    const resumed = await openStream(url, {
      method: "GET",
      headers: { ...headers, "last-event-id": lastEvent },
    });
    expect(JSON.stringify(await resumed.until(answers(1)))).toContain("did go");
    expect(resumed.messages.filter(answers(2))).toEqual([]);
    const unknown = { ...headers, "last-event-id": "nothing" };
    expect((await openStream(url, { method: "GET", headers: unknown })).status).toBe(400);
  });

  test.each(["2025-11-25", "2026-07-28"])(
    "is noticed by a client of %s, whose streams begin at once",
    async (version) => {
      const { url } = await serveMcp(createFixture(await startModelServer(() => hang)));
      const isLegacy = version === "2025-11-25";
      const headers = isLegacy ? await beginSession(url) : modernHeaders("tools/call", "agent");
      const stream = await openStream(
        url,
        { headers },
        call(1, isLegacy ? go : { ...go, ...envelope() }),
      );
      expect(stream.headers["content-type"]).toContain("text/event-stream");
      stream.break();
      if (!isLegacy) return;
      const standing = await openStream(url, { method: "GET", headers });
      expect(standing.status).toBe(200);
      standing.break();
    },
  );
});

describe("a change of agents", () => {
  test.each(["2025-11-25", "2026-07-28"])(
    "is sent to a client of %s on its notification stream",
    async (version) => {
      const project = createFixture(await startModelServer(() => "done"));
      const { url } = await serveMcp(project);
      const isLegacy = version === "2025-11-25";
      const list = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: isLegacy ? {} : envelope(),
      };
      const listen = { notifications: { toolsListChanged: true }, ...envelope() };
      const session = isLegacy ? await beginSession(url) : modernHeaders("tools/list");
      await (await openStream(url, { headers: session }, list)).until(answers(1));
      const standing = isLegacy
        ? await openStream(url, { method: "GET", headers: session })
        : await openStream(
            url,
            { headers: modernHeaders("subscriptions/listen") },
            { jsonrpc: "2.0", id: 2, method: "subscriptions/listen", params: listen },
          );
      const isReady = ({ method }: McpMessage): boolean =>
        method?.endsWith("acknowledged") === true;
      if (!isLegacy) await standing.until(isReady);
      project.writeAgent("newcomer");
      await standing.until(({ method }) => method === "notifications/tools/list_changed");
    },
  );
});

describe("a question", () => {
  test("of a run whose client has gone is put to another client that waits for the run", async () => {
    const model = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
    );
    const { url } = await serveMcp(createFixture(model));
    const headers = await beginSession(url, { elicitation: {} });
    const gone = await openStream(url, { headers }, call(1));
    await gone.until(isQuestion);
    gone.break();
    const asked: string[] = [];
    const later = await connect(url, "legacy", { isAsked: (message) => void asked.push(message) });
    const { contents } = await later.readResource({ uri: "cadre://runs" });
    const [runs] = contents as { text: string }[];
    const [run] = JSON.parse(runs?.text ?? "[]") as { id: string }[];
    const waited = await later.callTool({ name: "sessions_wait", arguments: { runIds: run?.id } });
    expect(asked).toEqual([expect.stringContaining("main wants to use Write")]);
    expect(JSON.stringify(waited.content)).not.toContain("not approved");
  });

  test("to several clients is withdrawn from the others after the first answer", async () => {
    const model = await startModelServer(({ turn, last }) =>
      turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
    );
    const { url } = await serveMcp(createFixture(model));
    const first = await beginSession(url, { elicitation: {} });
    const one = await openStream(url, { headers: first }, call(1));
    const question = await one.until(isQuestion);
    const list = {
      jsonrpc: "2.0",
      id: 2,
      method: "resources/read",
      params: { uri: "cadre://runs" },
    };
    const runs = await (await openStream(url, { headers: first }, list)).until(answers(2));
    const [, id] = /"id\\": \\"([\w-]+)/.exec(JSON.stringify(runs)) ?? [];
    const wait = { name: "sessions_wait", arguments: { runIds: id } };
    const third = await beginSession(url);
    const three = await openStream(url, { headers: third }, call(4, wait));
    const second = await beginSession(url, { elicitation: {} });
    const two = await openStream(url, { headers: second }, call(3, wait));
    const same = await two.until(isQuestion);
    expect(same.params?.["message"]).toBe(question.params?.["message"]);
    const result = { action: "accept", content: { decision: "deny", reason: "said two" } };
    const answer = { jsonrpc: "2.0", id: same.id, result };
    expect((await openStream(url, { headers: second }, answer)).status).toBe(202);
    const isWithdrawn = ({ method }: McpMessage): boolean => method === "notifications/cancelled";
    expect((await one.until(isWithdrawn)).params).toMatchObject({ requestId: question.id });
    expect(JSON.stringify(await one.until(answers(1)))).toContain("not approved: said two");
    expect(JSON.stringify(await two.until(answers(3)))).toContain("not approved: said two");
    expect(JSON.stringify(await three.until(answers(4)))).toContain("not approved: said two");
    // This client had not declared elicitation.
    expect(three.messages.filter(isQuestion)).toEqual([]);
  });
});
