import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The server's behaviour for one request. */
export type AnthropicAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on this machine that answers like Anthropic's messages API, or with errors that the test defines. */
export interface FakeAnthropic {
  url: string;
  /** The answers, one for each request. The last one repeats. */
  answers: AnthropicAnswer[];
  /** The number of requests so far. */
  asked: number;
  close(): void;
}

/** Starts a {@link FakeAnthropic} on a free port. */
export async function startFakeAnthropic(): Promise<FakeAnthropic> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const answer = fake.answers[Math.min(fake.asked, fake.answers.length - 1)];
      fake.asked += 1;
      answer?.(response, request);
    });
  });
  const fake: FakeAnthropic = {
    url: "",
    answers: [],
    asked: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

/** Sends a JSON body. */
function send(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Returns an error in Anthropic's form. */
export function status(
  code: number,
  type: string,
  text: string,
  headers: Record<string, string> = {},
): AnthropicAnswer {
  return (response) =>
    send(response, code, { type: "error", error: { type, message: text } }, headers);
}

/** Returns an answer with any body. */
export function raw(code: number, type: string, body: string): AnthropicAnswer {
  return (response) => {
    response.writeHead(code, { "content-type": type });
    response.end(body);
  };
}

/** Returns the body of a reply. */
export function messageBody(content: unknown[], stop = "end_turn"): Record<string, unknown> {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return {
    type: "message",
    id: "m",
    model: "claude-haiku-5-5",
    role: "assistant",
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage,
  };
}

/** Returns a complete reply. */
export function message(content: unknown[], stop?: string): AnthropicAnswer {
  return (response) => send(response, 200, messageBody(content, stop));
}

/** Breaks the connection before any data. */
export function drop(_: ServerResponse, incoming: IncomingMessage): void {
  incoming.socket.destroy();
}

/** Redirects the client and its key to another address. */
export function redirect(response: ServerResponse): void {
  response.writeHead(308, { location: "https://elsewhere.example/v1/messages" }).end();
}

/** Breaks the connection in the middle of a body. */
export function cutBody(response: ServerResponse, incoming: IncomingMessage): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"type":"message"', () => incoming.socket.destroy());
}

/** Returns a stream of events with the given ending. */
export function sse(chunks: readonly string[], ending: "end" | "drop" | "hang"): AnthropicAnswer {
  return (response, incoming) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    for (const chunk of chunks) response.write(chunk);
    if (ending === "end") response.end();
    if (ending === "drop") setImmediate(() => incoming.socket.destroy());
  };
}

/** Formats one event of a stream. */
export function event(data: { type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The first event of every stream. */
export const messageStart: string = event({
  type: "message_start",
  message: { ...messageBody([]), stop_reason: null },
});
/** The beginning of a stream that says "Hello". */
export const firstChunks: readonly string[] = [
  messageStart,
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } }),
];
/** A stream that says "Hello there". */
export const wholeStream: readonly string[] = [
  ...firstChunks,
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " there" } }),
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
  event({ type: "message_stop" }),
];
