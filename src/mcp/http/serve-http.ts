// The MCP server over HTTP: admission, sessions and streams.

import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CadreError, type CadreOptions } from "../../host.ts";
import { createRequestAdmission, endpoint } from "./admit-request.ts";
import type { Client } from "../client/client.ts";
import { createServedClient } from "../client/create-client.ts";
import { createServer } from "../server/create-server.ts";
import { createLruPool } from "../../lru-pool.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { maxMessageLength } from "../server/message-limit.ts";
import { createQuestionPool, type QuestionPool } from "../question/question-pool.ts";
import { streamResponse } from "./stream-response.ts";

/** Options of {@link serveOverHttp}. */
export interface HttpOptions {
  options: CadreOptions;
  version: string;
  /** The port; 0 means any free port. */
  port: number;
  /** The secret that gives a client all rights of the user. */
  token: string;
  log: (line: string) => void;
  /** Called with the URL when the server is ready. */
  onListening: (url: string) => void;
  /** Ends the server. */
  signal: AbortSignal;
}

/** The maximum number of separate clients of 2026-07-28. */
const maxClients = 100;

/**
 * Serves clients of both generations on this machine until `signal` aborts. Active runs are left for a resume.
 *
 * @throws CadreError `invalid-argument` when the port is not available.
 */
export async function serveOverHttp(given: HttpOptions): Promise<void> {
  const pool = createQuestionPool();
  const sessions = createHttpSessions({ ...given, pool });
  const { handler, clients } = createHandler(given, pool);
  const admit = createRequestAdmission(given.token);
  const onerror = (error: Error): void => given.log(error.message);
  const serve = toNodeHandler(
    {
      async fetch(request) {
        const parsedBody = await parseBody(request);
        return (await isLegacyRequest(request, parsedBody))
          ? await sessions.serve(request, parsedBody)
          : streamResponse(request, await handler.fetch(request, { parsedBody }));
      },
    },
    { maxRequestBodySize: maxMessageLength, onerror },
  );
  const server = createHttpServer((request, response) => {
    // The type of the request does not allow `url: undefined`.
    const asked = request as Parameters<typeof serve>[0];
    if (admit(request, response)) serve(asked, response).catch(onerror);
  });
  given.onListening(await listen(server, given.port));
  await aborted(given.signal);
  server.close();
  const left = [...sessions.clients(), ...clients()];
  await Promise.all([sessions.close(), handler.close()]);
  await Promise.all(left.map((client) => client.close("leave")));
  server.closeAllConnections();
}

/** Serves requests of 2026-07-28. Each of them names its client. */
function createHandler(
  { options, version, log, signal }: HttpOptions,
  pool: QuestionPool,
): { handler: McpHttpHandler; clients: () => Client[] } {
  const clients = createLruPool<Client>({
    most: maxClients,
    isBusy: ({ parked }) => parked.size > 0,
    onEvicted: (client) =>
      void client.close("finish").catch((error: unknown) => log(String(error))),
  });
  const announcer = {
    toolsChanged: () => handler.notify.toolsChanged(),
    resourcesChanged: () => handler.notify.resourcesChanged(),
    resourceUpdated: (uri: string) => handler.notify.resourceUpdated(uri),
    notify: () => undefined,
  };

  function clientOf(ctx: ServerContext): Client {
    const name = nameOf(ctx);
    const known = clients.find(name);
    if (known !== undefined) return known;
    const client = createServedClient({ name, options, pool, announcer });
    if (clients.enter(name, client)) return client;
    throw new CadreError(
      "limit-exceeded",
      `${maxClients} clients wait for answers; try again later.`,
    );
  }

  const handler = createMcpHandler(
    ({ era }) =>
      createServer({
        version,
        era,
        pool,
        isEnding: () => signal.aborted,
        clientOf,
        subscriptions: new Set(),
      }),
    {
      legacy: "reject",
      // Streamed, because many clients treat minutes of silence as a lost connection.
      responseMode: "sse",
      onerror: (error) => log(error.message),
    },
  );
  return { handler, clients: clients.all };
}

/** Returns the parsed body; `undefined` for invalid JSON, which the transports report. */
async function parseBody(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.clone().text()) as unknown;
  } catch {
    return undefined;
  }
}

const maxNameLength = 200;

/** Returns the client's name, which identifies it because this generation has neither connections nor sessions. */
function nameOf({ mcpReq }: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const info = envelope[CLIENT_INFO_META_KEY] as { name?: string; version?: string } | undefined;
  return `client ${info?.name ?? ""} ${info?.version ?? ""}`.slice(0, maxNameLength);
}

async function listen(server: HttpServer, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  try {
    await promise;
  } catch (error) {
    const message = `Expected a free port after --http; ${port} cannot be used: ${String(error)}`;
    throw new CadreError("invalid-argument", message, { cause: error });
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${endpoint}`;
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
