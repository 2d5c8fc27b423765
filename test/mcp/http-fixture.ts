import { once } from "node:events";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { serveOverHttp } from "../../src/mcp/http/serve-http.ts";
import type { CadreOptions } from "../../src/index.ts";
import type { McpProject, McpMessage } from "./mcp-project.ts";
import { omitUndefined } from "../../src/omit-undefined.ts";

/** The token of the servers of these tests. */
export const mcpToken = "a token for tests only";

/** Serves a project in this process until the test ends. Resolves with the URL. */
export async function serveMcp(
  project: McpProject,
  port = 0,
  more: CadreOptions = {},
): Promise<{ url: string; end: () => Promise<void> }> {
  const ending = new AbortController();
  const listening = Promise.withResolvers<string>();
  const { folder: cwd, home, environment } = project;
  const served = serveOverHttp({
    options: { cwd, home, environment, ...more },
    version: "1",
    port,
    token: mcpToken,
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

/** The header that authorizes a request. */
export const mcpAuthorized: Record<string, string> = { authorization: `Bearer ${mcpToken}` };
/** The headers of a message. */
export const asJson: Record<string, string> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Sends a request with headers that `fetch` would not send. */
export async function sendToMcp(
  url: string,
  options: RequestOptions,
  body = "",
): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; body: string }> {
  const sent = request(url, { method: "POST", ...options });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** The request that begins a session of 2025-11-25. */
export const initialize: string = JSON.stringify({
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
export async function connect(
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
    requestInit: { headers: mcpAuthorized },
    reconnectionOptions: {
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 10,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 100,
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Begins a session of 2025-11-25. Resolves with the headers of its requests. */
export async function beginSession(
  url: string,
  capabilities: object = {},
): Promise<Record<string, string>> {
  const body = initialize.replace(
    '"capabilities":{}',
    `"capabilities":${JSON.stringify(capabilities)}`,
  );
  const headers = { ...mcpAuthorized, ...asJson };
  const begun = await sendToMcp(url, { headers }, body);
  return {
    ...headers,
    "mcp-session-id": String(begun.headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
}

/** Returns the headers of a request of 2026-07-28. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    ...mcpAuthorized,
    ...asJson,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...omitUndefined({ "mcp-name": name }),
  };
}

/** A response whose events are read one by one and whose connection can break. */
export interface OpenStream {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  /** The id of the first event. */
  firstId: Promise<string>;
  messages: McpMessage[];
  /** Resolves with the first message for which `isIt` holds. */
  until(isIt: (message: McpMessage) => boolean): Promise<McpMessage>;
  break(): void;
}

/** Sends a request and resolves as soon as its response begins. */
export async function openStream(
  url: string,
  options: RequestOptions,
  body: unknown = "",
): Promise<OpenStream> {
  const sent = request(url, { method: "POST", ...options });
  sent.on("error", () => undefined);
  sent.end(typeof body === "string" ? body : JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const firstId = Promise.withResolvers<string>();
  const messages: McpMessage[] = [];
  let next = Promise.withResolvers<void>();
  const onLine = (line: string): void => {
    const [, id] = /^id: (.+)/.exec(line) ?? [];
    if (id !== undefined) firstId.resolve(id);
    const [, data] = /^data: (.+)/.exec(line) ?? [];
    if (data !== undefined) messages.push(JSON.parse(data) as McpMessage);
    next.resolve();
    next = Promise.withResolvers();
  };
  let rest = "";
  response.on("error", () => undefined).setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    firstId: firstId.promise,
    messages,
    async until(isIt) {
      for (;;) {
        const changed = next.promise;
        const found = messages.find(isIt);
        if (found !== undefined) return found;
        await changed;
      }
    },
    break: () => void sent.destroy(),
  };
}
