import {
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { isRecord } from "../source/json.ts";
import { createLineReader } from "./line-reader.ts";
import { createStrays, parseMessageLine } from "./message-line.ts";
import { messageBytes } from "./message-limit.ts";
import type { ServerProcess } from "./server-process.ts";

/** How a client speaks to a process. */
export interface StdioTransport extends Transport {
  /** What was wrong with what came, for messages; an empty string when nothing was. */
  noise(): string;
  /** Named so that the protocol's library knows a process, for which silence means another thing than over HTTP. */
  pid: number;
  stderr: null;
}

/** Progress of one call is passed on this often at most. */
const progressEveryMs = 100;

/**
 * The messages of a process, a line each. Lines that are no messages are passed over and counted; a line that is too long
 * ends the process.
 */
export function createStdioTransport(server: ServerProcess): StdioTransport {
  const strays = createStrays("MCP");
  let fault = "";
  const isIdle = createIdleCheck();

  const reader = createLineReader(messageBytes, (line) => {
    const message = parseMessageLine(line);
    if (message === undefined) strays.add(line);
    else if (!isIdle(message)) receive(message);
  });

  function end(reason: string): void {
    fault ||= reason;
    server.kill();
  }

  function receive(message: Record<string, unknown>): void {
    try {
      transport.onmessage?.(parseJSONRPCMessage(message));
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  const transport: StdioTransport = {
    pid: server.pid,
    stderr: null,
    noise: () => fault || strays.describe(),
    start() {
      server.stdout.on("data", (bytes: Buffer) => {
        if (fault !== "") return;
        try {
          reader.add(bytes);
        } catch {
          end(
            `it sent a message of more than ${messageBytes / 1024 / 1024} MiB, which nobody can take`,
          );
        }
      });
      void server.ended.then(() => transport.onclose?.());
      return Promise.resolve();
    },
    send(message) {
      return new Promise((resolve) => {
        server.stdin.write(serializeMessage(message), (error) => {
          // Who does not listen will not answer. Calls under way fail with the end of the process, which tells more.
          if (error && !server.stdin.writableEnded) end("it stopped reading its input");
          resolve();
        });
      });
    },
    close: () => server.stop(),
  };
  return transport;
}

/** Finds the notifications nobody reads: the log, and progress that comes too fast. They would only cost time. */
function createIdleCheck(): (message: Record<string, unknown>) => boolean {
  let lastProgress = Number.NEGATIVE_INFINITY;
  let lastToken: unknown;
  return ({ method, params }) => {
    if (method === "notifications/message") return true;
    if (method !== "notifications/progress") return false;
    const token = isRecord(params) ? params["progressToken"] : undefined;
    const now = performance.now();
    if (token === lastToken && now - lastProgress < progressEveryMs) return true;
    lastToken = token;
    lastProgress = now;
    return false;
  };
}
