import { once } from "node:events";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import {
  asJson,
  mcpAuthorized,
  beginSession,
  connect,
  initialize,
  modernHeaders,
  openStream,
  sendToMcp,
  serveMcp,
  mcpToken,
} from "./http-fixture.ts";
import { createFixture, envelope } from "./mcp-project.ts";

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const call = { name: "agent", arguments: { type: "main", prompt: "go" } };

describe("cadre mcp over HTTP", () => {
  test.each(["legacy", "modern"] as const)(
    "serves a %s client of the official SDK: progress, questions, and its own runs",
    async (era) => {
      const server = await startModelServer(({ turn, last }) =>
        turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
      );
      const { url } = await serveMcp(createFixture(server));
      const asked: string[] = [];
      const client = await connect(url, era, { isAsked: (message) => void asked.push(message) });
      const progress: unknown[] = [];
      const result = await client.callTool(call, {
        onprogress: ({ message }) => void progress.push(message),
      });
      expect(result.structuredContent).toMatchObject({ status: "succeeded" });
      expect(JSON.stringify(result.content)).not.toContain("not approved");
      expect(asked).toMatchObject([expect.stringContaining("main wants to use Write")]);
      expect(progress).toContainEqual(expect.stringMatching(/^main: begins as run \S+$/));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("sessions_spawn");

      const other = await connect(url, era, { name: "other" });
      const theirs = await other.callTool({ name: "sessions_list", arguments: {} });
      expect(theirs.structuredContent).toMatchObject({ runs: [] });
      const ours = await client.callTool({ name: "sessions_list", arguments: {} });
      expect((ours.structuredContent as { runs: unknown[] }).runs).toHaveLength(1);
      const { contents } = await other.readResource({ uri: "cadre://runs" });
      expect(JSON.stringify(contents)).toContain("succeeded");
    },
  );

  test("continues the run of a client of 2025-11-25 that dies during a call; another client fetches its result", async () => {
    const release = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await startModelServer(async () => {
      asked.resolve();
      await release.promise;
      return "finished without you";
    });
    const { url } = await serveMcp(createFixture(server));
    const headers = await beginSession(url);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
    const dying = request(url, { method: "POST", headers });
    dying.on("error", () => undefined);
    dying.end(body);
    await asked.promise;
    dying.destroy();
    const later = await connect(url, "legacy");
    const { contents } = await later.readResource({ uri: "cadre://runs" });
    const [first] = contents as { text: string }[];
    const [run] = JSON.parse(first?.text ?? "[]") as { id: string; status: string }[];
    expect(run?.status).toBe("running");
    release.resolve();
    const waited = await later.callTool({
      name: "sessions_wait",
      arguments: { runIds: run?.id },
    });
    expect(JSON.stringify(waited.content)).toContain("finished without you");
  });

  test("answers a hundred calls at once over one session", async () => {
    const server = await startModelServer(({ task }) => `did ${task}`);
    const { url } = await serveMcp(createFixture(server));
    const client = await connect(url, "legacy");
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.callTool({ name: "agent", arguments: { type: "main", prompt: `task ${index}` } }),
      ),
    );
    expect(
      results.map(({ structuredContent }) => (structuredContent as { text: string }).text),
    ).toEqual(results.map((_, index) => `did task ${index}`));
  });
});

describe("over HTTP, the server refuses", () => {
  test("a request without the token, from a web page, for another host name, or for another path", async () => {
    const { url } = await serveMcp(createFixture());
    const status = async (options: RequestOptions): Promise<number | undefined> =>
      (await sendToMcp(url, options, ping)).status;
    const withHost = (host: string): RequestOptions => ({
      headers: { ...mcpAuthorized, ...asJson, host },
    });
    const withOrigin = (origin: string): RequestOptions => ({
      headers: { ...mcpAuthorized, ...asJson, origin },
    });
    expect(await status({ headers: asJson })).toBe(401);
    for (const wrong of ["Bearer wrong", "Bearer", `Basic ${mcpToken}`, `Bearer ${mcpToken}x`]) {
      expect(await status({ headers: { ...asJson, authorization: wrong } })).toBe(401);
    }
    const refused = await sendToMcp(url, { headers: asJson }, ping);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(refused.body).toContain("Expected the header Authorization: Bearer");
    for (const host of ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example"]) {
      expect(await status(withHost(host))).toBe(403);
    }
    for (const origin of ["http://evil.example", "null", "http://localhost.evil.example"]) {
      expect(await status(withOrigin(origin))).toBe(403);
    }
    expect(await status(withOrigin("http://localhost:3000"))).not.toBe(403);
    const { pathname } = new URL(url);
    const elsewhere = await sendToMcp(
      url.replace(pathname, "/other"),
      { headers: mcpAuthorized },
      ping,
    );
    expect(elsewhere.status).toBe(404);
  });

  test("a body that is not a message or too long, and a closed session", async () => {
    const { url } = await serveMcp(createFixture());
    const headers = { ...mcpAuthorized, ...asJson };
    expect((await sendToMcp(url, { headers }, "{ no json")).status).toBe(400);
    expect((await sendToMcp(url, { headers }, "[]")).status).toBe(400);
    expect((await sendToMcp(url, { headers }, ping)).status).toBe(400);
    const declared = { ...headers, "content-length": String(65 * 1024 * 1024) };
    const tooLong = request(url, { method: "POST", headers: declared });
    tooLong.on("error", () => undefined);
    tooLong.flushHeaders();
    const [answer] = (await once(tooLong, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    tooLong.destroy();
    const unknown = { ...headers, "mcp-session-id": "nobody" };
    expect((await sendToMcp(url, { headers: unknown }, ping)).status).toBe(404);
    const session = await beginSession(url);
    expect((await sendToMcp(url, { headers: session }, ping)).status).toBe(200);
    expect((await sendToMcp(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await sendToMcp(url, { headers: session }, ping)).status).toBe(404);
  });

  test.each([
    [415, "of another type", { "content-type": "text/plain" }, {}],
    [406, "that takes no events", { accept: "application/json" }, {}],
    [400, "of an unknown version", { "mcp-protocol-version": "1999-01-01" }, {}],
    [400, "without an id that is one", {}, { id: 1.5 }],
    [400, "with a huge number as its id", {}, { id: 1e300 }],
    [400, "that begins the session again", {}, JSON.parse(initialize) as object],
    [404, "of a session that never was", { "mcp-session-id": "nobody" }, {}],
  ])("with %i a message %s, and the session goes on", async (status, _, headers, message) => {
    const { url } = await serveMcp(createFixture());
    const session = await beginSession(url);
    const body = JSON.stringify({ ...(JSON.parse(ping) as object), ...message });
    const refused = await sendToMcp(url, { headers: { ...session, ...headers } }, body);
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { message: expect.any(String) } });
    expect((await sendToMcp(url, { headers: session }, ping)).status).toBe(200);
  });

  test("with 415 a request of 2026-07-28 of another type", async () => {
    const { url } = await serveMcp(createFixture());
    const headers = { ...modernHeaders("tools/list"), "content-type": "text/plain" };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: envelope() };
    expect((await sendToMcp(url, { headers }, JSON.stringify(body))).status).toBe(415);
  });

  test.each([
    [-32022, "of an unknown version", "2030-01-01", { "mcp-protocol-version": "2030-01-01" }],
    [
      -32020,
      "whose header says another version",
      "2026-07-28",
      { "mcp-protocol-version": "2025-11-25" },
    ],
    [-32020, "whose header says another method", "2026-07-28", { "mcp-method": "tools/call" }],
  ])("with %i a request of 2026-07-28 %s", async (code, _, version, message) => {
    const { url } = await serveMcp(createFixture());
    const headers = { ...modernHeaders("tools/list"), ...message };
    const { _meta } = envelope({}, { "io.modelcontextprotocol/protocolVersion": version });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } };
    const refused = await sendToMcp(url, { headers }, JSON.stringify(body));
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code } });
  });

  test("a second request with the id of one that is not answered, which keeps its own answer", async () => {
    const release = Promise.withResolvers<void>();
    const model = await startModelServer(async () => {
      await release.promise;
      return "mine";
    });
    const { url } = await serveMcp(createFixture(model));
    const headers = await beginSession(url);
    const params = { name: "agent", arguments: { type: "main", prompt: "go" } };
    const body = { jsonrpc: "2.0", id: "same", method: "tools/call", params };
    const first = await openStream(url, { headers }, body);
    const twice = JSON.stringify([
      { jsonrpc: "2.0", id: 5, method: "ping" },
      { jsonrpc: "2.0", id: 5, method: "ping" },
    ]);
    for (const repeat of [JSON.stringify(body), twice]) {
      const refused = await sendToMcp(url, { headers }, repeat);
      expect(refused.status).toBe(400);
      expect(refused.body).toContain("belongs to a request that is not answered yet");
    }
    release.resolve();
    expect(JSON.stringify(await first.until(({ id }) => id === "same"))).toContain("mine");
    for (const id of ["same", 5]) {
      const again = JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
      expect((await sendToMcp(url, { headers }, again)).status).toBe(200);
    }
    expect(model.turns).toHaveLength(1);
  });

  test("no other client because of an endless body, which does not delay its own end", async () => {
    const { url, end } = await serveMcp(createFixture());
    const headers = await beginSession(url);
    const slow = request(url, { method: "POST", headers: { ...headers, "content-length": "100" } });
    const broken = once(slow, "error");
    slow.write("{");
    expect((await sendToMcp(url, { headers }, ping)).status).toBe(200);
    await end();
    await broken;
  });

  test("a port that is in use", async () => {
    const project = createFixture();
    const { port } = new URL((await serveMcp(project)).url);
    await expect(serveMcp(project, Number(port))).rejects.toThrow(`${port} cannot be used`);
  });
});
