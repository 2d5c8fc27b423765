import { once } from "node:events";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveOverHttp } from "../../src/mcp/serve-http.ts";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { createPlace, envelope, type McpPlace, startMcp } from "./place.ts";

const token = "a token for tests only";

/** Serves a place in this process, until the test ends; resolves with the URL. */
async function serve(
  place: McpPlace,
  port = 0,
): Promise<{ url: string; end: () => Promise<void> }> {
  const ending = new AbortController();
  const listening = Promise.withResolvers<string>();
  const { folder: cwd, home, environment } = place;
  const served = serveOverHttp({
    options: { cwd, home, environment },
    version: "1",
    port,
    token,
    log: () => undefined,
    onListening: listening.resolve,
    signal: ending.signal,
  });
  const end = async (): Promise<void> => {
    ending.abort();
    await served;
  };
  const failed = served.then(() => Promise.reject(new Error("It has ended.")));
  const url = await Promise.race([listening.promise, failed]);
  onTestFinished(end);
  return { url, end };
}

const authorized = { authorization: `Bearer ${token}` };
const asJson = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** A request with headers that `fetch` would not send. */
async function send(
  url: string,
  options: RequestOptions,
  body = "",
): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; body: string }> {
  const sent = request(url, { method: "POST", ...options });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  },
});

/** Connects a client of the official SDK. */
async function connect(
  url: string,
  era: "legacy" | "modern",
  { name = "test", isAsked }: { name?: string; isAsked?: (message: string) => void } = {},
): Promise<Client> {
  const client = new Client(
    { name, version: "1" },
    {
      capabilities: isAsked === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  if (isAsked !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      isAsked(params.message);
      return { action: "accept", content: { decision: "allow once" } };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: authorized },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const call = { name: "agent", arguments: { type: "main", prompt: "go" } };

describe("cadre mcp over HTTP", () => {
  test.each(["legacy", "modern"] as const)(
    "serves a %s client of the official SDK: progress, questions, and its own runs",
    async (era) => {
      const server = await startModelServer(({ turn, last }) =>
        turn === 0 ? [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] : last.join(),
      );
      const { url } = await serve(createPlace(server));
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

  test.each(["legacy", "modern"] as const)(
    "lets the run of a %s client go on that dies in the middle of a call; another fetches its result",
    async (era) => {
      const release = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const server = await startModelServer(async () => {
        asked.resolve();
        await release.promise;
        return "finished without you";
      });
      const { url } = await serve(createPlace(server));
      let headers: Record<string, string> = { ...authorized, ...asJson };
      if (era === "legacy") {
        const begun = await send(url, { headers }, initialize);
        headers["mcp-session-id"] = String(begun.headers["mcp-session-id"]);
      } else {
        headers = {
          ...headers,
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "agent",
        };
      }
      const params = era === "legacy" ? call : { ...call, ...envelope() };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
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
    },
  );

  test("answers a hundred calls at once over one session", async () => {
    const server = await startModelServer(({ task }) => `did ${task}`);
    const { url } = await serve(createPlace(server));
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

describe("what is refused over HTTP", () => {
  test("a request without the token, from a page, by another name, of another path", async () => {
    const { url } = await serve(createPlace());
    const status = async (options: RequestOptions): Promise<number | undefined> =>
      (await send(url, options, ping)).status;
    const withHost = (host: string): RequestOptions => ({
      headers: { ...authorized, ...asJson, host },
    });
    const withOrigin = (origin: string): RequestOptions => ({
      headers: { ...authorized, ...asJson, origin },
    });
    expect(await status({ headers: asJson })).toBe(401);
    for (const wrong of ["Bearer wrong", "Bearer", `Basic ${token}`, `Bearer ${token}x`]) {
      expect(await status({ headers: { ...asJson, authorization: wrong } })).toBe(401);
    }
    const refused = await send(url, { headers: asJson }, ping);
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
    const elsewhere = await send(url.replace(pathname, "/other"), { headers: authorized }, ping);
    expect(elsewhere.status).toBe(404);
  });

  test("a body that is no message or too long, and a session that is not there any more", async () => {
    const { url } = await serve(createPlace());
    const headers = { ...authorized, ...asJson };
    expect((await send(url, { headers }, "{ no json")).status).toBe(400);
    expect((await send(url, { headers }, "[]")).status).toBe(400);
    expect((await send(url, { headers }, ping)).status).toBe(400);
    const declared = { ...headers, "content-length": String(65 * 1024 * 1024) };
    const tooLong = request(url, { method: "POST", headers: declared });
    tooLong.on("error", () => undefined);
    tooLong.flushHeaders();
    const [answer] = (await once(tooLong, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(413);
    tooLong.destroy();
    const unknown = { ...headers, "mcp-session-id": "nobody" };
    expect((await send(url, { headers: unknown }, ping)).status).toBe(404);
    const begun = await send(url, { headers }, initialize);
    const session = { ...headers, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    expect((await send(url, { headers: session }, ping)).status).toBe(200);
    expect((await send(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await send(url, { headers: session }, ping)).status).toBe(404);
  });

  test("a port that is taken", async () => {
    const place = createPlace();
    const { port } = new URL((await serve(place)).url);
    await expect(serve(place, Number(port))).rejects.toThrow(`${port} cannot be had`);
  });
});

describe("the command over HTTP", () => {
  test("says where it is and its token, and leaves its runs when it is ended", async () => {
    const server = await startModelServer(() => hang);
    const place = createPlace(server);
    const started = startMcp(place, ["--http", "0"]);
    const [, made = ""] = await started.saying(/the token is (\S+)/);
    const [, url = ""] = await started.saying(/serving (http:\/\/127\.0\.0\.1:\d+\/mcp)/);
    const headers = { ...asJson, authorization: `Bearer ${made}` };
    const begun = await send(url, { headers }, initialize);
    expect(begun.status).toBe(200);
    const session = { ...headers, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    const params = { name: "sessions_spawn", arguments: { task: "go" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
    await send(url, { headers: session }, body);
    await server.hung(1);
    started.child.kill("SIGTERM");
    expect(await started.ended).toBe(0);
    const cadre = await place.open();
    expect(await cadre.resumable()).toHaveLength(1);
  });

  test("is refused before it begins for a token that can be guessed, or a wrong configuration", async () => {
    const guessable = createPlace();
    guessable.environment["CADRE_MCP_TOKEN"] = "short";
    const wrong = createPlace();
    wrong.write(".cadre/config.yaml", "limits: { depth: many }\n");
    const started = [startMcp(guessable, ["--http", "0"]), startMcp(wrong)];
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([2, 2]);
    expect(started[0]?.said).toContain("Expected CADRE_MCP_TOKEN to have at least 16 characters");
    expect(started[1]?.said).toContain(`${join(wrong.folder, ".cadre", "config.yaml")}:1:`);
  });
});
