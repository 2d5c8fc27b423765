import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { plainLine } from "../../host.ts";
import { createLineReader } from "../../line-reader.ts";

/** Options of {@link createServerTransport}. */
export interface StdioTransportOptions {
  input: Readable;
  output: Writable;
  /** The maximum size of a message, in bytes. */
  maxMessageLength: number;
  log: (line: string) => void;
}

/**
 * Creates a transport over lines. An invalid or too long line is answered with an error, and the connection continues. The
 * end of the input ends the connection.
 */
export function createServerTransport(options: StdioTransportOptions): Transport {
  const { input, output, maxMessageLength, log } = options;
  let isClosed = false;

  async function write(message: unknown): Promise<void> {
    if (isClosed) throw new Error("The connection was closed.");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    await promise;
  }

  function refuse({ code, problem: message, id }: Refusal): void {
    log(`A message of the client was refused: ${message}`);
    write({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }).catch(close);
  }

  const lines = createLineReader({
    limit: maxMessageLength,
    onLine(line) {
      const read = readMessage(line);
      if ("problem" in read) refuse(read);
      else transport.onmessage?.(read.message);
    },
    onTooLong() {
      const problem = `Expected a message of at most ${maxMessageLength} bytes; a longer one was skipped.`;
      refuse({ problem, code: ProtocolErrorCode.InvalidRequest });
    },
  });

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    input.off("data", lines.add).off("end", close).off("close", close).off("error", close);
    input.pause();
    transport.onclose?.();
  }

  const transport: Transport = {
    start() {
      input.on("data", lines.add).on("end", close).on("close", close).on("error", close);
      // The client has disconnected; its runs continue.
      output.on("error", close);
      return Promise.resolve();
    },
    send: (message) => write(message),
    close: () => Promise.resolve(close()),
  };
  return transport;
}

interface Refusal {
  problem: string;
  code: ProtocolErrorCode;
  /** The id of the request, if it is known. */
  id?: RequestId;
}

const maxQuoteLength = 80;

function readMessage(line: string): { message: JSONRPCMessage } | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const problem = `Expected JSON on one line; got ${JSON.stringify(plainLine(line, maxQuoteLength))}.`;
    return { problem, code: ProtocolErrorCode.ParseError };
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const problem = `Expected a JSON-RPC 2.0 message; got ${plainLine(JSON.stringify(value), maxQuoteLength)}.`;
    return { problem, code: ProtocolErrorCode.InvalidRequest, ...idOf(value) };
  }
}

/** Returns the id to answer with. A client waits for a response to each message with an id and a method, even an invalid one. */
function idOf(value: unknown): { id?: RequestId } {
  if (typeof value !== "object" || value === null || !("method" in value && "id" in value))
    return {};
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? { id } : {};
}
