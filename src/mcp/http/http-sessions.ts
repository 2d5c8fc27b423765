import { randomUUID } from "node:crypto";
import {
  isJSONRPCRequest,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { errorBody } from "./admit-request.ts";
import type { Client } from "../client/client.ts";
import { type ClientOptions, createServedClient } from "../client/create-client.ts";
import { createServer } from "../server/create-server.ts";
import { createEventStore } from "./event-store.ts";
import { createLruPool } from "../../lru-pool.ts";
import { type OpenRequests, repeatError, trackRequests } from "../server/open-requests.ts";
import { announceTo } from "../client/server-announcer.ts";
import { streamResponse } from "./stream-response.ts";

/** Sessions of clients of 2025-11-25 and earlier over HTTP. */
export interface HttpSessions {
  serve(request: Request, parsedBody: unknown): Promise<Response>;
  /** Returns clients with active runs, with or without a session. */
  clients(): Client[];
  close(): Promise<void>;
}

/** Options of {@link createHttpSessions}. */
export interface HttpSessionsOptions extends Pick<ClientOptions, "options" | "pool"> {
  version: string;
  log: (line: string) => void;
}

interface Session {
  client: Client;
  transport: WebStandardStreamableHTTPServerTransport;
  requests: OpenRequests;
  /** The number of unfinished responses. */
  open: number;
}

/** The maximum number of sessions. */
const maxSessions = 100;

/** Creates a server of sessions. The runs of an ended session continue. */
export function createHttpSessions(given: HttpSessionsOptions): HttpSessions {
  /** Ended sessions with active runs. */
  const ending = new Set<Client>();
  const end = ({ client }: Session): void => {
    ending.add(client);
    client
      .close("finish")
      .catch((error: unknown) => given.log(String(error)))
      .finally(() => ending.delete(client));
  };
  const sessions = createLruPool<Session>({
    most: maxSessions,
    isBusy: ({ open }) => open > 0,
    onEvicted(session) {
      session.transport.close().catch((error: unknown) => given.log(String(error)));
      end(session);
    },
  });

  async function begin(): Promise<Session | undefined> {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore(),
      onsessionclosed() {
        sessions.leave(id);
        end(session);
      },
    });
    const requests = trackRequests(transport);
    const session = { ...connectClient(given, id), transport, requests, open: 0 };
    if (!sessions.enter(id, session)) return undefined;
    await session.server.connect(requests.transport);
    return session;
  }

  return {
    async serve(request, parsedBody) {
      const id = request.headers.get("mcp-session-id");
      const session = id === null ? await begin() : sessions.find(id);
      if (session === undefined) return id === null ? full() : unknown();
      const ids = requestIds(parsedBody);
      const repeated = session.requests.begin(ids);
      // Refused before the transport sees it, because the transport would send it the answer to the other request.
      if (repeated !== undefined) return repeat(repeated);
      session.open += 1;
      const response = await session.transport.handleRequest(request, { parsedBody });
      if (!response.ok) for (const one of ids) session.requests.end(one);
      if (id === null && session.transport.sessionId === undefined) {
        // The request was not a handshake, so no client will use this session.
        sessions.leave(session.client.name);
        end(session);
      }
      return streamResponse(request, response, () => (session.open -= 1));
    },
    clients: () => [...sessions.all().map(({ client }) => client), ...ending],
    async close() {
      await Promise.all(sessions.all().map(({ transport }) => transport.close()));
    },
  };
}

function connectClient(
  { options, pool, version, log }: HttpSessionsOptions,
  id: string,
): { client: Client; server: Server } {
  const subscriptions = new Set<string>();
  const servers = new Set<Server>();
  const announcer = announceTo(servers, subscriptions, log);
  const client = createServedClient({ name: id, options, pool, announcer });
  const clientOf = (): Client => client;
  const server = createServer({
    version,
    era: "legacy",
    pool,
    // Disconnecting cancels nothing in this generation, so both cases are equal.
    isEnding: () => false,
    clientOf,
    subscriptions,
  });
  servers.add(server);
  return { client, server };
}

function repeat(id: RequestId): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: repeatError(id) }, { status: 400 });
}

function full(): Response {
  return Response.json(errorBody(`There are ${maxSessions} active sessions; end one first.`), {
    status: 503,
  });
}

function unknown(): Response {
  return Response.json(errorBody("There is no such session; begin a new one."), { status: 404 });
}

/** Returns the ids of the requests in a body. */
function requestIds(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
}
