import { randomUUID } from "node:crypto";
import {
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { errorBody } from "./admit-request.ts";
import type { Client, ClientOptions } from "./client.ts";
import { createClient } from "./client.ts";
import { createServer } from "./create-server.ts";
import { createGuestList } from "./guest-list.ts";
import { longestMessage } from "./message-limit.ts";
import { refuseRepeats } from "./refuse-repeats.ts";
import { announceTo } from "./server-announcer.ts";

/** Sessions of clients of 2025-11-25 and earlier over HTTP. */
export interface HttpSessions {
  serve(request: Request): Promise<Response>;
  /** Those whose runs are at work, whether their sessions are there or not. */
  clients(): Client[];
  close(): Promise<void>;
}

/** What {@link createHttpSessions} needs. */
export interface HttpSessionsOptions extends Pick<ClientOptions, "options" | "pool"> {
  version: string;
  log: (line: string) => void;
}

interface Session {
  client: Client;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Requests that are not answered yet. */
  open: number;
}

/** The most sessions at once. */
const mostSessions = 100;

/** Serves sessions; the runs of one that ends go on. */
export function createHttpSessions(given: HttpSessionsOptions): HttpSessions {
  /** Those that ended and have runs at work. */
  const ending = new Set<Client>();
  const end = ({ client }: Session): void => {
    ending.add(client);
    client
      .close("finish")
      .catch((error: unknown) => given.log(String(error)))
      .finally(() => ending.delete(client));
  };
  const sessions = createGuestList<Session>({
    most: mostSessions,
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
      maxRequestBodySize: longestMessage,
      onsessionclosed() {
        sessions.leave(id);
        end(session);
      },
    });
    const session = { ...connectClient(given, id), transport, open: 0 };
    if (!sessions.enter(id, session)) return undefined;
    await session.server.connect(refuseRepeats(transport));
    return session;
  }

  return {
    async serve(request) {
      const id = request.headers.get("mcp-session-id");
      const session = id === null ? await begin() : sessions.find(id);
      if (session === undefined) return id === null ? full() : unknown();
      session.open += 1;
      const response = await session.transport.handleRequest(request);
      if (id === null && session.transport.sessionId === undefined) {
        // It was no handshake, and nobody will come back to this one.
        sessions.leave(session.client.name);
        end(session);
      }
      return whenSent(response, () => (session.open -= 1));
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
  const client = createClient({ name: id, options, pool, announcer });
  const clientOf = (): Client => client;
  const server = createServer({ version, era: "legacy", pool, clientOf, subscriptions });
  servers.add(server);
  return { client, server };
}

function full(): Response {
  return Response.json(errorBody(`There are ${mostSessions} sessions at work; end one first.`), {
    status: 503,
  });
}

function unknown(): Response {
  return Response.json(errorBody("There is no such session; begin a new one."), { status: 404 });
}

/** The same response; `done` is called when all of it was read, or nobody reads it any more. */
function whenSent(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  let isDone = false;
  const finish = (): void => {
    if (!isDone) done();
    isDone = true;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done: isEnd, value } = await reader.read();
      if (isEnd) {
        finish();
        controller.close();
      } else controller.enqueue(value);
    },
    async cancel(reason) {
      finish();
      await reader.cancel(reason);
    },
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}
