import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { type BenchRequest, type Reply, replyTo } from "./reply.ts";

/**
 * A model server in a separate process, so that its CPU time is not measured. It speaks OpenAI's chat protocol and refuses a
 * conversation with a wrong result with status 400. The argument is the latency in milliseconds.
 */
const latencyMs = Number(process.argv[2] ?? 0);
let replies = 0;
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const server = createServer((request, response) => void respond(request, response));
// No client fails because an idle connection closes, and none waits because the backlog is full.
server.keepAliveTimeout = 3_600_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 10_000 }, () => {
  process.send?.((server.address() as AddressInfo).port);
});

// The program that started this server has ended.
process.once("disconnect", () => process.exit());

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as BenchRequest;
  let reply: Reply;
  try {
    reply = replyTo(body);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
    return;
  }
  replies += 1;
  // Clients distinguish replies by their ids.
  const id = `reply-${replies}`;
  await setTimeout(latencyMs);
  if (body.stream === true) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(eventsOf(id, reply));
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(completionOf(id, reply)));
  }
}

function finishReasonOf(reply: Reply): string {
  return reply.tool_calls === undefined ? "stop" : "tool_calls";
}

function completionOf(id: string, message: Reply): unknown {
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(message) }];
  return { id, object: "chat.completion", created: 0, model: "mock", choices, usage };
}

/** Returns the reply for a client that only streams, in as few events as the protocol allows. */
function eventsOf(id: string, reply: Reply): string {
  const chunk = { id, object: "chat.completion.chunk", created: 0, model: "mock" };
  const calls = reply.tool_calls?.map((call, index) => ({ index, ...call }));
  const delta = { ...reply, tool_calls: calls };
  const choice = { index: 0, delta, finish_reason: finishReasonOf(reply) };
  const chunks = [
    { ...chunk, choices: [choice] },
    { ...chunk, choices: [], usage },
  ];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`;
}
