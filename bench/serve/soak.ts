import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createServedFolder, startServed, type Served, benchToken } from "./server.ts";

/**
 * Measures the memory of `cadre serve` over hours: families of 50 runs one after the other; readers that stay, come, leave or read
 * nothing; and requests as pages send them. Prints a line a minute. `node bench/serve/soak.ts [MINUTES]`; default: 60.
 */
const minutes = Number(process.argv[2] ?? 60);
const runsOfFamily = 50;
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const probe = join(import.meta.dirname, "memory-probe.ts");
const folder = createServedFolder(runsOfFamily);
const served = await startServed(folder, ["--expose-gc", "--import", probe]);
const ending = performance.now() + minutes * 60_000;
const counts = { families: 0, streams: 0, requests: 0, bytes: 0 };

async function open(path: string, accept = "application/json"): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${benchToken}`, "accept-encoding": "gzip", accept };
  const sent = request(`${served.url}/api/v1${path}`, { agent, headers }).end();
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  const [response] = await answered.catch(async (error: unknown) => {
    // The server may close an idle connection, and has done so in the meantime.
    if (sent.reusedSocket) return [await open(path, accept)] as const;
    throw error;
  });
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
  return response;
}

/** Starts a reader of events. The returned function closes its connection. */
async function follow(path: string, kind: "reads" | "stalls" = "reads"): Promise<() => void> {
  const response = await open(path, "text/event-stream");
  counts.streams += 1;
  response.on("error", () => undefined);
  if (kind === "reads") response.on("data", (chunk: Buffer) => (counts.bytes += chunk.length));
  return () => response.destroy();
}

async function read(path: string): Promise<void> {
  for await (const chunk of await open(path)) counts.bytes += (chunk as Buffer).length;
  counts.requests += 1;
}

async function followMany(count: number, ...how: Parameters<typeof follow>): Promise<() => void> {
  const all = await Promise.all(Array.from({ length: count }, async () => await follow(...how)));
  return () => {
    for (const close of all) close();
  };
}

/** Runs a family with its own readers, which leave when it has ended. */
async function runFamily({ client }: Served): Promise<void> {
  const { run } = await client.startRun({ agent: "main", task: "begin" });
  const leave = await followMany(20, `/events?root=${run.id}`);
  const paths = ["family", "tree", "transcript", "steps", "events"];
  for (const path of paths) await read(`/runs/${run.id}/${path}`);
  for (const path of ["/runs", "/questions", "/usage", "/search?text=go"]) await read(path);
  const { result } = await client.readResult(run.id, { wait: 600 });
  if (result.status !== "succeeded") throw new Error(`Expected success: ${JSON.stringify(result)}`);
  await read(`/runs/${run.id}/family`);
  leave();
  counts.families += 1;
}

/** Returns the memory that the server reports, in MiB. */
async function readMemory({ child }: Served): Promise<Record<string, number>> {
  const path = join(folder, "memory.json");
  child.kill("SIGUSR2");
  while (!existsSync(path)) await delay(20);
  const bytes = JSON.parse(readFileSync(path, "utf8")) as Record<string, number>;
  rmSync(path);
  return Object.fromEntries(
    Object.entries(bytes).map(([name, value]) => [name, Math.round(value / 2 ** 20)]),
  );
}

async function report(minute: number): Promise<void> {
  const { rss, heapUsed, heapTotal, external, arrayBuffers, live } = await readMemory(served);
  const journal = Math.round(statSync(join(folder, "state", "cadre.db")).size / 2 ** 20);
  console.log(
    `${minute} min: RSS ${rss} MiB, heap ${heapUsed} of ${heapTotal}, external ${external} (${arrayBuffers} in buffers)` +
      `${live === undefined ? "" : `, heap after a collection ${live}`}; journal ${journal} MiB, ` +
      `${counts.families} families, ${counts.streams} streams, ${counts.requests} requests, ${Math.round(counts.bytes / 2 ** 20)} MiB sent`,
  );
}

/** Starts readers at the beginning of the journal that read nothing; new ones replace those that end. */
async function stall(): Promise<void> {
  while (performance.now() < ending) {
    const leave = await followMany(20, "/events?after=", "stalls");
    await delay(Math.min(120_000, Math.max(0, ending - performance.now())));
    leave();
  }
}

async function work(): Promise<void> {
  const leave = await followMany(40, "/events");
  while (performance.now() < ending) await runFamily(served);
  leave();
}

async function watchMemory(): Promise<void> {
  for (let minute = 1; minute <= minutes; minute += 1) {
    await delay(60_000);
    await report(minute);
  }
}

await Promise.all([work(), stall(), watchMemory()]);
await served.stop();
rmSync(folder, { recursive: true });
agent.destroy();
