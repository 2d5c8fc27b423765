import {
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { createLineReader } from "../../line-reader.ts";
import { isRecord } from "../../source/json.ts";
import { createIgnoredLines, parseMessageLine } from "./message-line.ts";
import { messageBytes, tooLongMessage } from "./message-limit.ts";
import type { ServerProcess } from "./server-process.ts";

/** A client's transport over the standard streams of a process. */
export interface StdioTransport extends Transport {
  /** Describes the process's invalid output for an error message; empty when there was none. */
  noise(): string;
  /** Tells the protocol library that this is a process, for which silence has another meaning than over HTTP. */
  pid: number;
  stderr: null;
}

/** The minimum time between two forwarded progress notifications of a call, in milliseconds. */
const progressEveryMs = 100;

/**
 * Creates a transport with one message per line. Lines that are not messages are ignored and counted. A line that is
 * too long ends the process.
 */
export function createProcessTransport(server: ServerProcess): StdioTransport {
  const ignored = createIgnoredLines("MCP");
  let fault = "";
  const isIdle = createIdleCheck();

  const reader = createLineReader({
    limit: messageBytes,
    onLine(line) {
      const message = parseMessageLine(line);
      if (message === undefined) ignored.add(line);
      else if (!isIdle(message)) receive(message);
    },
    onTooLong: () => end(tooLongMessage),
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
    noise: () => fault || ignored.describe(),
    start() {
      server.stdout.on("data", (bytes: Buffer) => {
        if (fault === "") reader.add(bytes);
      });
      void server.ended.then(() => transport.onclose?.());
      return Promise.resolve();
    },
    send(message) {
      return new Promise((resolve) => {
        server.stdin.write(serializeMessage(message), (error) => {
          // A server that does not read will not answer. Calls in progress fail with the end of the process, which is
          // more informative.
          if (error && !server.stdin.writableEnded) end("it stopped reading its input");
          resolve();
        });
      });
    },
    close: () => server.stop(),
  };
  return transport;
}

/** Creates a check for notifications that are dropped to save time: the server's log and too frequent progress. */
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
