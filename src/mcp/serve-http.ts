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
import { CadreError, type CadreOptions } from "../index.ts";
import { createAdmission, endpoint } from "./admit-request.ts";
import type { Client } from "./client.ts";
import { createClient } from "./create-client.ts";
import { createServer } from "./create-server.ts";
import { createGuestList } from "./guest-list.ts";
import { createHttpSessions } from "./http-sessions.ts";
import { longestMessage } from "./message-limit.ts";
import { createQuestionPool, type QuestionPool } from "./question-pool.ts";
import { streamResponse } from "./stream-response.ts";

/** What {@link serveOverHttp} needs. */
export interface HttpOptions {
  options: CadreOptions;
  version: string;
  /** 0 = any that is free. */
  port: number;
  /** Whoever has it may do what the user may. */
  token: string;
  log: (line: string) => void;
  /** Told the URL when it is served. */
  onListening: (url: string) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/** The most clients of 2026-07-28 that are told apart at once. */
const mostClients = 100;

/**
 * Serves clients on this machine, of both generations, until `signal` aborts; runs at work are left to be continued.
 *
 * @throws CadreError `invalid-argument` when the port cannot be had.
 */
export async function serveOverHttp(given: HttpOptions): Promise<void> {
  const pool = createQuestionPool();
  const sessions = createHttpSessions({ ...given, pool });
  const { handler, clients } = createHandler(given, pool);
  const admit = createAdmission(given.token);
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
    { maxRequestBodySize: longestMessage, onerror },
  );
  const server = createHttpServer((request, response) => {
    // Its type leaves no room for `url` to be absent and `undefined` alike.
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

/** Serves requests of 2026-07-28, each of which says who asks. */
function createHandler(
  { options, version, log, signal }: HttpOptions,
  pool: QuestionPool,
): { handler: McpHttpHandler; clients: () => Client[] } {
  const clients = createGuestList<Client>({
    most: mostClients,
    isBusy: ({ parked }) => parked.size > 0,
    onEvicted: (client) =>
      void client.close("finish").catch((error: unknown) => log(String(error))),
  });
  const announcer = {
    toolsChanged: () => handler.notify.toolsChanged(),
    resourcesChanged: () => handler.notify.resourcesChanged(),
    resourceUpdated: (uri: string) => handler.notify.resourceUpdated(uri),
    tell: () => undefined,
  };

  function clientOf(ctx: ServerContext): Client {
    const name = nameOf(ctx);
    const known = clients.find(name);
    if (known !== undefined) return known;
    const client = createClient({ name, options, pool, announcer });
    if (clients.enter(name, client)) return client;
    throw new CadreError(
      "limit-exceeded",
      `${mostClients} clients wait for answers; try again later.`,
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
      // Not in one piece: nothing at all for minutes is a connection that is lost, to many clients.
      responseMode: "sse",
      onerror: (error) => log(error.message),
    },
  );
  return { handler, clients: clients.all };
}

/** The JSON that came, read once for all who want to see it; `undefined` when it is none, which is told by those. */
async function parseBody(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.clone().text()) as unknown;
  } catch {
    return undefined;
  }
}

const longestName = 200;

/** There are neither connections nor sessions: requests of one client are those that give the same name. */
function nameOf({ mcpReq }: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const info = envelope[CLIENT_INFO_META_KEY] as { name?: string; version?: string } | undefined;
  return `client ${info?.name ?? ""} ${info?.version ?? ""}`.slice(0, longestName);
}

async function listen(server: HttpServer, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  try {
    await promise;
  } catch (error) {
    const message = `Expected a port that is free behind --http; ${port} cannot be had: ${String(error)}`;
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
