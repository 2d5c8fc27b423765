import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { createLineReader } from "../extension/line-reader.ts";
import { createStrays, parseMessageLine } from "../extension/message-line.ts";
import { messageBytes } from "../extension/message-limit.ts";
import type { ServerProcess } from "../extension/server-process.ts";

/** How Cadre speaks to the process of an agent. */
export interface AcpStream extends Stream {
  /** What was wrong with what came, for messages; an empty string when nothing was. */
  noise(): string;
}

/**
 * The messages of a process, a line each, read no faster than they are dealt with. `onUpdate` hears the notifications
 * `session/update` at once, so that none comes after the answer it belongs before; everything else goes through the stream.
 * Lines that are no messages, and answers to nothing that was asked, are passed over and counted; a line that is too long ends
 * the process.
 */
export function createAcpStream(
  server: ServerProcess,
  onUpdate: (params: unknown) => void,
): AcpStream {
  const strays = createStrays("ACP");
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
    else strays.add(line);
  }

  async function* read(): AsyncGenerator<AnyMessage, void> {
    const waiting: AnyMessage[] = [];
    const reader = createLineReader(messageBytes, (line) => sort(line, waiting));
    for await (const bytes of server.stdout) {
      try {
        reader.add(bytes as Buffer);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        fault = `it sent a message of more than ${messageBytes / 1024 / 1024} MiB, which nobody can take`;
        server.kill();
        return;
      }
      yield* waiting.splice(0);
    }
  }

  function send(message: AnyMessage): Promise<void> {
    if ("method" in message && "id" in message) asked.add(message.id);
    return new Promise((resolve) => {
      // Who does not listen will not answer: what was asked fails with the end of the process, which tells more.
      server.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  return {
    readable: ReadableStream.from(read()),
    writable: new WritableStream({ write: send }),
    noise: () => fault || strays.describe(),
  };
}
