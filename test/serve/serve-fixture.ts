import { once } from "node:events";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { serveProjects } from "../../src/cli/command/serve/serve-projects.ts";
import type { PermissionMode } from "../../src/host.ts";
import type { RunningServer } from "../../src/serve/serve.ts";
import { createProject, type Project } from "../cli/command-line.ts";

/** The token of the servers of these tests. */
export const token = "a-token-for-tests-only";

const script = `scripts:
  - when: { task: ask, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch asked" } }] }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: go } }] }
  - when: { task: wait, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "sleep 60" } }] }
  - reply: { text: "done" }
`;

/** A project that is served in this process. */
export interface ServedFixture {
  project: Project;
  url: string;
  link: string;
  /** Sends a request with the token. A body makes it a POST. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
}

/** A response whose JSON a test reads. */
export interface Answered {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  json: Record<string, any>;
}

/**
 * Does the work of `cadre serve` in this process until the test has ended, which takes a tenth of the CPU time of a separate process.
 * Tests of signals, kills, the output and the page need `serve` of `serve-process.ts`.
 */
export async function serveInProcess({
  project = createServedProject(),
  mode = "ask",
  folders = [],
  trust = false,
}: {
  project?: Project;
  mode?: string;
  folders?: readonly string[];
  trust?: boolean;
} = {}): Promise<ServedFixture> {
  const { path: cwd, home, environment } = project;
  const ending = new AbortController();
  const listening = Promise.withResolvers<RunningServer>();
  const served = serveProjects({
    folders,
    rights: { mode: mode as PermissionMode, sandbox: "off", trust },
    cwd,
    user: { home, environment },
    version: "1",
    token,
    host: "127.0.0.1",
    port: 0,
    write: () => undefined,
    onListening: listening.resolve,
    signal: ending.signal,
  });
  served.catch(listening.reject);
  onTestFinished(async () => {
    ending.abort();
    await served;
  });
  const { url, createLink } = await listening.promise;
  return { project, url, link: createLink(), call: createCaller(url) };
}

/** Returns the function that sends requests with the token to a server. */
export function createCaller(url: string): ServedFixture["call"] {
  return async (path, body, headers = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...authorized, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Answered["json"] };
  };
}

/** Creates a project with a scripted model and a worker. */
export function createServedProject(): Project {
  const worker = "---\nname: worker\ndescription: works\n---\nYou work.\n";
  const project = createProject({ "script.yaml": script, ".cadre/agents/worker.md": worker });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  return project;
}

/** The header that authorizes a request. */
export const authorized: Record<string, string> = { authorization: `Bearer ${token}` };

/** Sends a request with headers that `fetch` would not send. */
export async function send(
  url: string,
  options: RequestOptions,
  body = "",
): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; body: string }> {
  const sent = request(url, options);
  sent.on("error", () => undefined);
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Reads server-sent events until `isLast`, and then disconnects. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
  isLast: (event: StreamedEvent) => boolean,
): Promise<StreamedEvent[]> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { ...authorized, accept: "text/event-stream", ...headers },
    signal: leaving.signal,
  });
  const events: StreamedEvent[] = [];
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readEvent(block);
      if (event === undefined) continue;
      events.push(event);
      if (!isLast(event)) continue;
      leaving.abort();
      return events;
    }
  }
  return events;
}

/** An event as it was sent. */
export interface StreamedEvent {
  id: string | undefined;
  type: string | undefined;
  data: Answered["json"];
}

function readEvent(block: string): StreamedEvent | undefined {
  const [, id] = /^id: (.*)$/m.exec(block) ?? [];
  const [, type] = /^event: (.*)$/m.exec(block) ?? [];
  const [, data] = /^data: (.*)$/m.exec(block) ?? [];
  return data === undefined ? undefined : { id, type, data: JSON.parse(data) as never };
}
