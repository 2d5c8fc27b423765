import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { main, node } from "../cli/command-line.ts";
import type { ModelServer } from "../fixtures/model-server.ts";
import { createProject, type Project } from "../fixtures/project.ts";

/** A project in which `cadre mcp` is started as a process. */
export interface McpPlace extends Project {
  environment: Record<string, string>;
}

/** Makes a project whose default model is played by `server`; without one there is no model. */
export function createPlace(server?: ModelServer): McpPlace {
  const project = createProject(server);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: project.home,
    NODE_COMPILE_CACHE: join(project.home, "..", "..", "cadre-test-compile-cache"),
    // Nothing answers there, where a real Ollama might.
    OLLAMA_HOST: "127.0.0.1:1",
    ...(server !== undefined && { CADRE_MODEL: "mock:mock" }),
  };
  return { ...project, environment };
}

/** A process that runs `cadre mcp`. */
export interface McpProcess {
  child: ChildProcess;
  /** What it said on stderr so far. */
  readonly said: string;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | string | null>;
  /** Resolves with the match once stderr holds one. */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `cadre mcp words…`; it is killed when the test ends. */
export function startMcp(place: McpPlace, words: readonly string[] = []): McpProcess {
  const child = spawn(node, [main, "mcp", ...words], {
    cwd: place.folder,
    env: place.environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  return {
    child,
    ended,
    get said() {
      return said;
    },
    async saying(pattern) {
      for (;;) {
        const match = pattern.exec(said);
        if (match !== null) return match;
        const isEnd = await Promise.race([once(child.stderr, "data"), ended.then(() => true)]);
        if (isEnd === true && !pattern.test(said)) throw new Error(`It ended, and said: ${said}`);
      }
    },
  };
}

/** A message of the protocol, whatever it holds. */
export interface Message {
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A client that writes lines of its own: for what a good client would never send. */
export interface RawClient extends McpProcess {
  /** All that came so far. */
  messages: Message[];
  write(line: string): void;
  send(message: Message): void;
  /** Resolves with the first message, from the first one on, for which `isIt` holds. */
  until(isIt: (message: Message) => boolean): Promise<Message>;
  /** Sends a request and waits for its answer. */
  ask(method: string, params?: Record<string, unknown>): Promise<Message>;
  /** The same for `tools/call`. */
  call(name: string, input: Record<string, unknown>, more?: object): Promise<Message>;
}

/** Starts `cadre mcp` over stdio without a handshake. */
export function startRaw(place: McpPlace, words: readonly string[] = []): RawClient {
  const started = startMcp(place, words);
  const { child } = started;
  const messages: Message[] = [];
  let next = Promise.withResolvers<void>();
  if (child.stdout === null) throw new Error("Expected a pipe.");
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    messages.push(JSON.parse(line) as Message);
    next.resolve();
    next = Promise.withResolvers();
  });
  const closed = started.ended.then(() => {
    throw new Error(`cadre mcp ended, and said: ${started.said}`);
  });
  closed.catch(() => undefined);
  let lastId = 0;

  const raw: Omit<RawClient, keyof McpProcess> = {
    messages,
    write: (line) => void child.stdin?.write(`${line}\n`),
    send: (message) => raw.write(JSON.stringify({ jsonrpc: "2.0", ...message })),
    async until(isIt) {
      for (let seen = 0; ;) {
        const changed = next.promise;
        const found = messages.slice(seen).find(isIt);
        if (found !== undefined) return found;
        seen = messages.length;
        await Promise.race([changed, closed]);
      }
    },
    async ask(method, params = {}) {
      lastId += 1;
      const id = lastId;
      raw.send({ id, method, params });
      return await raw.until((message) => message.id === id && message.method === undefined);
    },
    call: (name, input, more = {}) => raw.ask("tools/call", { name, arguments: input, ...more }),
  };
  return Object.assign(started, raw);
}

/** The handshake of 2025-11-25. */
export async function shakeHands(raw: RawClient, capabilities: object = {}): Promise<Message> {
  const answer = await raw.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities,
    clientInfo: { name: "raw", version: "1" },
  });
  raw.send({ method: "notifications/initialized" });
  return answer;
}

/** What a request of 2026-07-28 carries instead of a handshake. */
export function envelope(capabilities: object = {}, more: object = {}): { _meta: object } {
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...more,
    },
  };
}
