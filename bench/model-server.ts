import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * A model server in a process of its own, so that its CPU is not measured. It speaks OpenAI's chat protocol: a
 * sub-agent calls a tool in its first two replies and answers in its third; `main` delegates what its task says.
 */
const latencyMs = Number(process.argv[2] ?? 0);

interface Message {
  role: string;
  content: string | null;
}

const server = createServer((request, response) => void respond(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = JSON.parse(await text(request)) as { messages: Message[] };
  const body = JSON.stringify(completion(messages));
  setTimeout(() => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(body);
  }, latencyMs);
}

function completion(messages: readonly Message[]): unknown {
  const task = String(messages.find(({ role }) => role === "user")?.content);
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const calls = callsOf(task, turn);
  const message =
    calls.length === 0
      ? { role: "assistant", content: "done" }
      : { role: "assistant", content: null, tool_calls: calls };
  return {
    id: "reply",
    object: "chat.completion",
    created: 0,
    model: "mock",
    choices: [{ index: 0, message, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

/** `fan-out N`: delegate N at once. `chain N`: delegate N, one after the other. Anything else is a sub-agent's task. */
function callsOf(task: string, turn: number): unknown[] {
  const [kind, count] = task.split(" ");
  if (kind === "fan-out") {
    return turn > 0 ? [] : Array.from({ length: Number(count) }, (_, index) => delegate(index));
  }
  if (kind === "chain") return turn < Number(count) ? [delegate(turn)] : [];
  return turn < 2 ? [call(`think-${turn}`, "Think", { thought: "what to do next" })] : [];
}

function delegate(index: number): unknown {
  return call(`agent-${index}`, "Agent", { type: "sub", prompt: `work on part ${index}` });
}

function call(id: string, name: string, input: unknown): unknown {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}
