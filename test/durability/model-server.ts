import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sendCompletion, type CompletionCall } from "../fixtures/chat-completion.ts";

/** A request to the server. */
export interface AskedTurn {
  agent: string;
  task: string;
  /** The number of replies in the conversation so far. */
  turn: number;
}

/** A model server on loopback that plays the family of the durability test, and records its requests. */
export interface FamilyServer {
  baseUrl: string;
  asked: AskedTurn[];
  close(): Promise<void>;
}

interface Message {
  role: string;
  content: string | null;
}

type Reply = string | CompletionCall[];

/** Returns a call that runs for a while, and for as long as a file holds it. */
const effect = (name: string): CompletionCall => ({
  tool: "Bash",
  input: {
    command: `echo ${name} >> effects.log; sleep 0.2; while test -e hold-${name}; do sleep 0.02; done`,
  },
});
const agent = (type: string, prompt: string): CompletionCall => ({
  tool: "Agent",
  input: { type, prompt },
});

/** Returns the reply of each agent in each turn. */
function script({ agent: name, task, turn }: AskedTurn): Reply {
  if (name === "worker") return [[effect(task)], [readCall], `worker did ${task}`][turn] ?? "over";
  if (name === "lead") {
    return (
      [[agent("worker", `${task}-1`), agent("worker", `${task}-2`)], `lead did ${task}`][turn] ??
      "over"
    );
  }
  const steps: Reply[] = [
    [agent("worker", "a"), agent("worker", "b"), effect("main-1")],
    [agent("lead", "c"), readCall],
    [effect("main-2")],
    "main is done",
  ];
  return steps[turn] ?? "over";
}

const readCall: CompletionCall = { tool: "Read", input: { file_path: "input.txt" } };

/** Starts the server on a free port. */
export async function startFamilyServer(): Promise<FamilyServer> {
  const asked: AskedTurn[] = [];
  const server = createServer((request, response) => {
    void respond(request, response, asked);
  });
  // If an idle connection closed just when a slow client sends a request, the client would retry, which is a second request.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked, close: () => closeServer(server) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  asked: AskedTurn[],
): Promise<void> {
  const body = JSON.parse(await text(request)) as { messages: Message[]; stream?: boolean };
  const { messages } = body;
  const system = String(messages[0]?.content);
  const turn: AskedTurn = {
    agent: /You are (\w+)\./.exec(system)?.[1] ?? "main",
    task: String(messages.find(({ role }) => role === "user")?.content),
    turn: messages.filter(({ role }) => role === "assistant").length,
  };
  asked.push(turn);
  sendCompletion(response, body, { reply: script(turn), turn: turn.turn });
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}
