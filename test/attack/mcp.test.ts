import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { node } from "../cli/command-line.ts";
import { commandFile } from "../cli/start-command.ts";
import { isAlive } from "../fixtures/is-alive.ts";
import { hang, type ModelServer, startModelServer } from "../fixtures/model-server.ts";
import { beginSession, modernHeaders, openStream, serveMcp } from "../mcp/http-fixture.ts";
import {
  connectRaw,
  resourceContentOf,
  createFixture,
  envelope,
  type McpProject,
  type McpMessage,
  shakeHands,
} from "../mcp/mcp-project.ts";

const generations = ["2025-11-25", "2026-07-28"] as const;
type Generation = (typeof generations)[number];

/** Returns a tool call in the form of a protocol version. */
function call(generation: Generation, id: number, name: string, input: object): object {
  const more = generation === "2026-07-28" ? envelope() : {};
  const params = { name, arguments: input, ...more };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

const waiting = { type: "main", prompt: "waited for" };
const background = { task: "in the background" };

/** Returns the status of the runs of a folder, by task, as a later server sees them. */
async function readStatuses(project: McpProject): Promise<Record<string, string>> {
  const raw = connectRaw(project);
  await shakeHands(raw);
  const list = await raw.ask("resources/read", { uri: "cadre://runs" });
  const runs = JSON.parse(resourceContentOf(list)) as { task: string; status: string }[];
  await raw.end();
  return Object.fromEntries(runs.map(({ task, status }) => [task, status]));
}

async function untilHanging(model: ModelServer, count: number): Promise<void> {
  // Another process has to cause this.
  while (model.hanging !== count) await delay(5);
}

describe("a client over stdio that is killed in the middle of a call", () => {
  /** Starts a client in a separate process, and the client's server. */
  async function startClient(project: McpProject): Promise<{
    write: (message: object) => void;
    untilAnswered: (id: number) => Promise<void>;
    kill: () => Promise<void>;
  }> {
    const script = fileURLToPath(new URL("../fixtures/mcp/mcp-client-process.ts", import.meta.url));
    const client = spawn(node, [script, node, commandFile, "mcp"], {
      cwd: project.folder,
      env: project.environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void client.kill("SIGKILL"));
    const messages: (McpMessage & { serverPid?: number })[] = [];
    createInterface({ input: client.stdout }).on("line", (line) => {
      messages.push(JSON.parse(line) as McpMessage);
    });
    const until = async (isIt: (message: McpMessage & { serverPid?: number }) => boolean) => {
      while (!messages.some(isIt)) await once(client.stdout, "data");
      await delay(0);
    };
    await until(({ serverPid }) => serverPid !== undefined);
    const pid = messages[0]?.serverPid ?? 0;
    return {
      write: (message) => void client.stdin.write(`${JSON.stringify(message)}\n`),
      untilAnswered: async (id) => await until((message) => message.id === id),
      async kill() {
        client.kill("SIGKILL");
        while (isAlive(pid)) await delay(5);
      },
    };
  }

  test.each(generations)("of %s: the effect follows its protocol version", async (generation) => {
    const model = await startModelServer(() => hang);
    const project = createFixture(model);
    const client = await startClient(project);
    if (generation === "2025-11-25") {
      const clientInfo = { name: "x", version: "1" };
      const params = { protocolVersion: generation, capabilities: {}, clientInfo };
      client.write({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      await client.untilAnswered(1);
      client.write({ jsonrpc: "2.0", method: "notifications/initialized" });
    }
    client.write(call(generation, 2, "sessions_spawn", background));
    await client.untilAnswered(2);
    client.write(call(generation, 3, "agent", waiting));
    await model.hung(2);
    await client.kill();
    await model.released();
    const statuses = await readStatuses(project);
    const isModern = generation === "2026-07-28";
    expect(statuses[waiting.prompt]).toBe(isModern ? "cancelled" : "running");
    expect(statuses[background.task]).toBe("running");
  });
});

describe("a client over HTTP whose connection closes in the middle of a response", () => {
  test("of 2026-07-28 has cancelled its call, and not its background run", async () => {
    const model = await startModelServer(() => hang);
    const project = createFixture(model);
    const { url, end } = await serveMcp(project);
    const generation = "2026-07-28";
    const spawned = await openStream(
      url,
      { headers: modernHeaders("tools/call", "sessions_spawn") },
      call(generation, 1, "sessions_spawn", background),
    );
    await spawned.until(({ id }) => id === 1);
    const headers = modernHeaders("tools/call", "agent");
    const stream = await openStream(url, { headers }, call(generation, 2, "agent", waiting));
    await model.hung(2);
    stream.break();
    await untilHanging(model, 1);
    await end();
    expect(await readStatuses(project)).toEqual({
      [waiting.prompt]: "cancelled",
      [background.task]: "running",
    });
  });

  test("of 2026-07-28 has not cancelled a task", async () => {
    const model = await startModelServer(() => hang);
    const project = createFixture(model);
    const { url, end } = await serveMcp(project);
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const params = { name: "agent", arguments: waiting, ...envelope(capabilities) };
    const stream = await openStream(
      url,
      { headers: modernHeaders("tools/call", "agent") },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    );
    await stream.until(({ id }) => id === 1);
    stream.break();
    await model.hung(1);
    await end();
    expect(await readStatuses(project)).toEqual({ [waiting.prompt]: "running" });
  });

  test("of 2026-07-28 cancels nothing if the server ends", async () => {
    const model = await startModelServer(() => hang);
    const project = createFixture(model);
    const { url, end } = await serveMcp(project);
    const headers = modernHeaders("tools/call", "agent");
    await openStream(url, { headers }, call("2026-07-28", 1, "agent", waiting));
    await model.hung(1);
    await end();
    expect(await readStatuses(project)).toEqual({ [waiting.prompt]: "running" });
  });

  test("of 2025-11-25 has cancelled nothing", async () => {
    const model = await startModelServer(() => hang);
    const project = createFixture(model);
    const { url, end } = await serveMcp(project);
    const headers = await beginSession(url);
    const stream = await openStream(url, { headers }, call("2025-11-25", 1, "agent", waiting));
    await model.hung(1);
    stream.break();
    // A later request is served after the server has noticed the close of the connection.
    const later = await openStream(url, { headers }, { jsonrpc: "2.0", id: 2, method: "ping" });
    await later.until(({ id }) => id === 2);
    expect(model.hanging).toBe(1);
    await end();
    expect(await readStatuses(project)).toEqual({ [waiting.prompt]: "running" });
  });
});
