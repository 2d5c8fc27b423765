import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { plainLine } from "../index.ts";

/** What {@link createStdioTransport} needs. */
export interface StdioTransportOptions {
  input: Readable;
  output: Writable;
  /** The longest message, in bytes. */
  longestMessage: number;
  log: (line: string) => void;
}

/**
 * The protocol over lines. A line that is no message, or too long, is answered with an error and does no further harm; the
 * end of the input ends the connection.
 */
export function createStdioTransport(options: StdioTransportOptions): Transport {
  const { input, output, log } = options;
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

  const lines = createLines(options.longestMessage, {
    onLine(line) {
      // A mark of the byte order counts as a blank.
      const text = line.trim();
      if (text === "") return;
      const read = readMessage(text);
      if ("problem" in read) refuse(read);
      else transport.onmessage?.(read.message);
    },
    onTooLong(limit) {
      const problem = `Expected a message of at most ${limit} bytes; one was longer and was left out.`;
      refuse({ problem, code: ProtocolErrorCode.InvalidRequest });
    },
  });

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    input.off("data", lines.push).off("end", close).off("close", close).off("error", close);
    input.pause();
    transport.onclose?.();
  }

  const transport: Transport = {
    start() {
      input.on("data", lines.push).on("end", close).on("close", close).on("error", close);
      // The client has gone; what it started goes on without it.
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
  /** Of the request, as far as it can be told. */
  id?: RequestId;
}

const longestQuote = 80;

function readMessage(line: string): { message: JSONRPCMessage } | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const problem = `Expected JSON on one line; got ${JSON.stringify(plainLine(line, longestQuote))}.`;
    return { problem, code: ProtocolErrorCode.ParseError };
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const problem = `Expected a JSON-RPC 2.0 message; got ${plainLine(JSON.stringify(value), longestQuote)}.`;
    return { problem, code: ProtocolErrorCode.InvalidRequest, ...idOf(value) };
  }
}

/** Its client waits for an answer to what has an id and a method, however wrong the rest is. */
function idOf(value: unknown): { id?: RequestId } {
  if (typeof value !== "object" || value === null || !("method" in value && "id" in value))
    return {};
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? { id } : {};
}

/** Cuts a stream into lines, and keeps no more of one than may be read. */
function createLines(
  longest: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: (limit: number) => void },
): { push: (chunk: Buffer) => void } {
  let parts: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, end));
        const line = Buffer.concat(parts);
        const isTooLong = length > longest;
        parts = [];
        length = 0;
        start = end + 1;
        if (isTooLong) onTooLong(longest);
        else onLine(line.toString("utf8"));
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
  };
}
