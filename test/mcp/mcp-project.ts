import { createInterface } from "node:readline";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { CadreOptions } from "../../src/index.ts";
import { serveOverStdio } from "../../src/mcp/stdio/serve-stdio.ts";
import { compileCache } from "../fixtures/compile-cache.ts";
import type { ModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

/** A project in which `cadre mcp` is started as a process. */
export interface McpProject extends ModelProject {
  environment: Record<string, string>;
}

/** Creates a project whose default model is `server`; without a server, it has no model. */
export function createFixture(server?: ModelServer): McpProject {
  const project = createModelProject(server);
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: project.home,
    NODE_COMPILE_CACHE: compileCache,
    // An address without a server, so that a real Ollama is not used.
    OLLAMA_HOST: "127.0.0.1:1",
    ...(server !== undefined && { CADRE_MODEL: "mock:mock" }),
  };
  return { ...project, environment };
}

/** A message of the protocol. */
export interface McpMessage {
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A client that writes raw lines, for messages that a correct client never sends. */
export interface RawClient {
  /** All messages so far. */
  messages: McpMessage[];
  write(line: string): void;
  /** Writes a part of a line. */
  writePart(text: string): void;
  send(message: McpMessage): void;
  /** Resolves with the first of all messages for which `isIt` holds. */
  until(isIt: (message: McpMessage) => boolean): Promise<McpMessage>;
  /** Sends a request and waits for its response. */
  ask(method: string, params?: Record<string, unknown>): Promise<McpMessage>;
  /** Does the same for `tools/call`. */
  call(name: string, input: Record<string, unknown>, more?: object): Promise<McpMessage>;
}

/** A server in this process. */
export interface McpConnection {
  /** The server's output on stderr. */
  log: string[];
  /** Resolves when the server has ended. */
  ended: Promise<void>;
  /** Ends the server as a signal does. */
  end(): Promise<void>;
  /** Disconnects like a client. */
  hangUp(): void;
}

/** Starts `cadre mcp` over stdio in this process, which is faster. */
export function connectRaw(
  project: McpProject,
  more: CadreOptions = {},
): RawClient & McpConnection {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ending = new AbortController();
  const { folder: cwd, home, environment } = project;
  const options = { cwd, home, environment, ...more };
  const log: string[] = [];
  const signal = ending.signal;
  const addLine = (line: string): void => void log.push(line);
  const ended = serveOverStdio({ options, version: "1", input, output, log: addLine, signal });
  const end = async (): Promise<void> => {
    ending.abort();
    await ended;
  };
  onTestFinished(end);
  const closed = ended.then(() => `the server ended, and said: ${log.join(", ")}`);
  const hangUp = (): void => void input.end();
  return Object.assign(createRaw(input, output, closed), { log, ended, end, hangUp });
}

/** Returns the client of a server whose output ends when `closed` resolves, with the reason. */
export function createRaw(input: Writable, output: Readable, closed: Promise<string>): RawClient {
  const messages: McpMessage[] = [];
  let next = Promise.withResolvers<void>();
  createInterface({ input: output }).on("line", (line) => {
    messages.push(JSON.parse(line) as McpMessage);
    next.resolve();
    next = Promise.withResolvers();
  });
  const failed = closed.then((reason) => {
    throw new Error(reason);
  });
  failed.catch(() => undefined);
  let lastId = 0;
  const raw: RawClient = {
    messages,
    write: (line) => void input.write(`${line}\n`),
    writePart: (text) => void input.write(text),
    send: (message) => raw.write(JSON.stringify({ jsonrpc: "2.0", ...message })),
    async until(isIt) {
      for (let seen = 0; ;) {
        const changed = next.promise;
        const found = messages.slice(seen).find(isIt);
        if (found !== undefined) return found;
        seen = messages.length;
        await Promise.race([changed, failed]);
      }
    },
    async ask(method, params = {}) {
      lastId += 1;
      const id = lastId;
      raw.send({ id, method, params });
      return await raw.until((message) => message.id === id && message.method === undefined);
    },
    call: (name, given, more = {}) => raw.ask("tools/call", { name, arguments: given, ...more }),
  };
  return raw;
}

/** Does the handshake of 2025-11-25. */
export async function shakeHands(raw: RawClient, capabilities: object = {}): Promise<McpMessage> {
  const answer = await raw.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities,
    clientInfo: { name: "raw", version: "1" },
  });
  raw.send({ method: "notifications/initialized" });
  return answer;
}

/** Returns the metadata of a request of 2026-07-28, which replaces the handshake. */
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

/** The fields of the tools' results. */
export interface ToolData {
  runId?: string;
  text?: string;
  runs?: { runId: string; label: string | null; status: string }[];
}

/** Returns the structured content of a result. */
export function dataOf({ result = {} }: McpMessage): ToolData {
  return result["structuredContent"] as ToolData;
}

/** Returns the first request of a round of 2026-07-28. */
export function questionOf({ result = {} }: McpMessage): {
  key: string;
  request: { method: string; params: { message: string } };
  requestState: unknown;
} {
  const requests = result["inputRequests"] as Record<string, never>;
  const [key = ""] = Object.keys(requests);
  const [request] = Object.values(requests);
  if (request === undefined) throw new Error(`Expected a question; got ${JSON.stringify(result)}`);
  return { key, request, requestState: result["requestState"] };
}

/** Returns the text of a result. */
export function resultTextOf({ result = {} }: McpMessage): string {
  const [first] = result["content"] as { text: string }[];
  return first?.text ?? "";
}

/** Returns the content of a resource. */
export function resourceContentOf({ result = {} }: McpMessage): string {
  const [first] = result["contents"] as { text: string }[];
  return first?.text ?? "";
}

/** Returns the first run that `sessions_spawn` started. */
export function startedRun(message: McpMessage): string {
  return dataOf(message).runs?.[0]?.runId ?? "";
}
