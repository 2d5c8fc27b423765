// The MCP server over standard input and output.

import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { CadreOptions } from "../../host.ts";
import { createServedClient } from "../client/create-client.ts";
import { createServer } from "../server/create-server.ts";
import { maxMessageLength } from "../server/message-limit.ts";
import { pushQuestions } from "../question/push-questions.ts";
import { createQuestionPool } from "../question/question-pool.ts";
import { refuseRepeats } from "../server/open-requests.ts";
import { sendRequest } from "../question/send-request.ts";
import { announceTo } from "../client/server-announcer.ts";
import { createServerTransport } from "./stdio-transport.ts";

/** Options of {@link serveOverStdio}. */
export interface StdioOptions {
  options: CadreOptions;
  version: string;
  input: Readable;
  /** A stream that carries only the protocol. */
  output: Writable;
  log: (line: string) => void;
  /** Ends the connection. */
  signal: AbortSignal;
}

/**
 * Serves one client over a pair of streams until it disconnects or `signal` aborts. Active runs are left for a resume, except
 * those that a client of 2026-07-28 was waiting for when it disconnected.
 */
export async function serveOverStdio(given: StdioOptions): Promise<void> {
  const { options, version, input, output, log, signal } = given;
  const pool = createQuestionPool();
  const subscriptions = new Set<string>();
  const servers = new Set<Server>();
  const announcer = announceTo(servers, subscriptions, log);
  const client = createServedClient({ name: "stdio", options, pool, announcer });
  const gone = new AbortController();

  function connect(era: "modern" | "legacy"): Server {
    const server = createServer({
      version,
      era,
      pool,
      isEnding: () => signal.aborted,
      clientOf: () => client,
      subscriptions,
    });
    servers.add(server);
    if (era === "legacy") {
      const send = sendRequest({ mcpReq: { send: server.request.bind(server) } });
      void pushQuestions(pool, { isWanted: () => true, send, signal: gone.signal });
    }
    return Object.assign(server, { onclose: () => void servers.delete(server) });
  }

  const ended = Promise.withResolvers<void>();
  const wire = createServerTransport({ input, output, maxMessageLength, log });
  const transport = refuseRepeats(wire);
  const handle = serveStdio(({ era }) => connect(era), {
    transport,
    onerror: (error) => log(error.message),
  });
  const { onclose: closeServer } = transport;
  const onclose = (): void => {
    closeServer?.();
    ended.resolve();
  };
  Object.assign(transport, { onclose });
  const stop = (): void => void handle.close().finally(ended.resolve);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  await ended.promise;
  gone.abort();
  await client.close("leave");
}
