import {
  createServer,
  type IncomingMessage,
  request as startRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Duplex } from "node:stream";
import { findAddresses, type FoundAddresses, type NetworkGuard } from "./find-addresses.ts";
import { type NetworkTarget, parseTarget, plainHost } from "./network-rule.ts";

/** An HTTP proxy that reaches only the allowed hosts. */
export interface ProxyServer {
  server: Server;
  /** The rules that refused requests lacked, oldest first. */
  missing: ReadonlySet<string>;
  /** Closes every connection. */
  close(): void;
}

/** The time limits for the head of a request and for connecting to a host. */
const headMs = 15_000;
const connectMs = 30_000;
const maxConnections = 256;
/** The maximum number of missing rules to report. */
const maxMissing = 20;

/** Headers of a single connection, which are not forwarded. */
const ownHeaders: ReadonlySet<string> = new Set(
  "connection host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Creates the proxy. It supports CONNECT, and requests with an absolute `http:` URL. */
export function createProxyServer(guard: NetworkGuard): ProxyServer {
  const missing = new Set<string>();
  const tunnels = new Set<Duplex>();

  async function find(target: NetworkTarget): Promise<FoundAddresses> {
    const found = await findAddresses(target, guard);
    if (found.type === "refused" && missing.size < maxMissing) missing.add(found.missing);
    return found;
  }

  const timeouts = { headersTimeout: headMs, requestTimeout: 0, connectionsCheckingInterval: 1000 };
  const server = createServer(timeouts);
  server.maxConnections = maxConnections;
  server.on("request", (request, response) => void forward(request, response, find));
  server.on("connect", (request, client, head) => {
    tunnels.add(client);
    client.once("close", () => tunnels.delete(client));
    void openTunnel(request, { client, head }, find);
  });
  return {
    server,
    missing,
    close() {
      server.close();
      server.closeAllConnections();
      for (const client of tunnels) client.destroy();
    },
  };
}

type Find = (target: NetworkTarget) => Promise<FoundAddresses>;

async function openTunnel(
  { url = "" }: IncomingMessage,
  { client, head }: { client: Duplex; head: Buffer },
  find: Find,
): Promise<void> {
  client.on("error", () => client.destroy());
  const target = parseTarget(url);
  const found = target && (await find(target));
  if (client.destroyed) return;
  if (target === undefined || found?.type !== "addresses") {
    const { status, text } = describeRefusal(url, found);
    const length = Buffer.byteLength(text);
    const fields = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}`;
    return void client.end(`HTTP/1.1 ${status}\r\n${fields}\r\nConnection: close\r\n\r\n${text}`);
  }
  const upstream = connect({
    host: target.host,
    port: target.port,
    lookup: answerWith(found),
    allowHalfOpen: true,
    timeout: connectMs,
  });
  const giveUp = (): void =>
    void client.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n");
  upstream.once("error", giveUp);
  upstream.once("timeout", () => upstream.destroy(new Error("It did not answer in time.")));
  client.once("close", () => upstream.destroy());
  upstream.once("connect", () => {
    upstream.off("error", giveUp);
    upstream.setTimeout(0);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    upstream.write(head);
    void join(client, upstream);
  });
}

async function join(client: Duplex, upstream: Socket): Promise<void> {
  try {
    await Promise.all([pipeline(client, upstream), pipeline(upstream, client)]);
  } catch {
    // One side broke the connection. Closing the other one notifies it.
    client.destroy();
    upstream.destroy();
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  find: Find,
): Promise<void> {
  const { url = "", method = "GET" } = request;
  response.on("error", () => response.destroy());
  const target = parseHttpUrl(url);
  const found = target && (await find(target));
  if (response.destroyed) return;
  if (target === undefined || found?.type !== "addresses") {
    const { status, text } = describeRefusal(url, found);
    response.writeHead(Number(status.slice(0, 3)), {
      "content-type": "text/plain; charset=utf-8",
      connection: "close",
    });
    return void response.end(text);
  }
  const upstream = startRequest({
    host: target.host,
    port: target.port,
    method,
    path: target.path,
    // The host that was checked, even if the client sends another Host header.
    headers: ["host", target.authority, ...passedHeaders(request.rawHeaders)],
    lookup: answerWith(found),
    agent: false,
    setDefaultHeaders: false,
    timeout: connectMs,
  });
  response.once("close", () => upstream.destroy());
  upstream.once("socket", (socket) => socket.once("connect", () => upstream.setTimeout(0)));
  upstream.once("timeout", () => upstream.destroy(new Error("It did not answer in time.")));
  upstream.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, passedHeaders(answer.rawHeaders));
    pipeline(answer, response).catch(() => response.destroy());
  });
  upstream.on("error", (error) => {
    if (response.headersSent) return void response.destroy();
    response.writeHead(502, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(`${target.authority} cannot be reached: ${error.message}\n`);
  });
  pipeline(request, upstream).catch(() => upstream.destroy());
}

interface HttpTarget extends NetworkTarget {
  authority: string;
  path: string;
}

function parseHttpUrl(text: string): HttpTarget | undefined {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, port, host, pathname, search } = new URL(text);
  const target = { host: plainHost(hostname), port: port === "" ? 80 : Number(port) };
  return { ...target, authority: host, path: `${pathname}${search}` };
}

/** Returns the headers to forward, as alternating names and values: not those of the connection, nor those that it names. */
function passedHeaders(raw: readonly string[]): string[] {
  const fields = raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : [],
  );
  const named = fields
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/));
  const own = new Set([...ownHeaders, ...named]);
  return fields.flatMap(([name, value]) => (own.has(name.toLowerCase()) ? [] : [name, value]));
}

/** Creates a lookup that returns the addresses which were resolved and checked before. */
function answerWith({ addresses }: FoundAddresses & { type: "addresses" }): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, addresses);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}

function describeRefusal(
  asked: string,
  found: FoundAddresses | undefined,
): { status: string; text: string } {
  if (found?.type === "refused") {
    const text = `The sandbox refuses ${asked.slice(0, 200)}. To allow it, add ${JSON.stringify(found.missing)} to sandbox.network.allow in the configuration of Cadre.\n`;
    return { status: "403 Forbidden", text };
  }
  if (found?.type === "unknown-host") {
    return { status: "502 Bad Gateway", text: `${found.problem}\n` };
  }
  const text =
    "Expected CONNECT HOST:PORT, or a request with an absolute http: URL, as clients send them to a proxy.\n";
  return { status: "400 Bad Request", text };
}
