import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { createLineReader } from "../line-reader.ts";
import { createIgnoredLines, parseMessageLine } from "../extension/transport/message-line.ts";
import { messageBytes, tooLongMessage } from "../extension/transport/message-limit.ts";
import type { ServerProcess } from "../extension/transport/server-process.ts";

/** The message stream of an agent's process. */
export interface AcpStream extends Stream {
  /** Describes the process's invalid output for an error message; empty when there was none. */
  noise(): string;
}

/**
 * Creates a stream with one message per line and back-pressure. `onUpdate` receives `session/update` notifications at
 * once, so that none arrives after the response that follows it; all other messages go through the stream. Lines that are
 * not messages, and responses without a request, are ignored and counted. A line that is too long ends the process.
 */
export function createAcpStream(
  server: ServerProcess,
  onUpdate: (params: unknown) => void,
): AcpStream {
  const ignored = createIgnoredLines("ACP");
  const asked = new Set<unknown>();
  let fault = "";

  function isAnswer({ id, method }: Record<string, unknown>): boolean {
    return method === undefined && asked.delete(id);
  }

  function sort(line: string, waiting: AnyMessage[]): void {
    const message = parseMessageLine(line);
    if (message?.["method"] === "session/update" && !("id" in message)) onUpdate(message["params"]);
    else if (message !== undefined && (typeof message["method"] === "string" || isAnswer(message)))
      waiting.push(message as AnyMessage);
    else ignored.add(line);
  }

  async function* read(): AsyncGenerator<AnyMessage, void> {
    const waiting: AnyMessage[] = [];
    const reader = createLineReader({
      limit: messageBytes,
      onLine: (line) => sort(line, waiting),
      onTooLong: () => (fault = tooLongMessage),
    });
    for await (const bytes of server.stdout) {
      reader.add(bytes as Buffer);
      if (fault !== "") {
        server.kill();
        return;
      }
      yield* waiting.splice(0);
    }
  }

  function send(message: AnyMessage): Promise<void> {
    if ("method" in message && "id" in message) asked.add(message.id);
    return new Promise((resolve) => {
      // A failed write is ignored: the request fails when the process ends, and that error is more informative.
      server.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  return {
    readable: ReadableStream.from(read()),
    writable: new WritableStream({ write: send }),
    noise: () => fault || ignored.describe(),
  };
}
