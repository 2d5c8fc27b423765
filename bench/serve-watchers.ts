import { request, type IncomingMessage, Agent } from "node:http";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Clients of a server: `URL TOKEN ROOT KIND COUNT`. Says when all are connected, and at the end of stdin what they got. */
const [, , url = "", token = "", root = "", kind = "", count = "1"] = process.argv;
const headers = { authorization: `Bearer ${token}` };
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let events = 0;
let latest = 0;
let late = 0;
let bytes = 0;
let reads = 0;

async function get(path: string, accept?: string): Promise<IncomingMessage> {
  const sent = request(`${url}/api/v1${path}`, {
    agent,
    headers: {
      ...headers,
      "accept-encoding": "gzip",
      ...(accept !== undefined && { accept }),
    },
  });
  sent.end();
  try {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  } catch (error) {
    // The server has closed the idle connection in the meantime, as it may.
    if (sent.reusedSocket) return await get(path, accept);
    throw error;
  }
}

/** Reads the family anew after events, as the page does. */
function createRefresh(): () => void {
  let isRequested = false;
  let isAtWork = false;
  async function run(): Promise<void> {
    isAtWork = true;
    while (isRequested) {
      isRequested = false;
      const begun = performance.now();
      const response = await get(`/runs/${root}/family`);
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      reads += 1;
      await delay(Math.max(200, 2 * (performance.now() - begun)));
    }
    isAtWork = false;
  }
  return () => {
    isRequested = true;
    if (!isAtWork) void run();
  };
}

async function follow(): Promise<void> {
  const path = root === "" ? "/events" : `/events?root=${root}`;
  const response = await get(
    `${path}${kind === "slow" ? `${root === "" ? "?" : "&"}after=` : ""}`,
    "text/event-stream",
  );
  if (response.statusCode !== 200) throw new Error(`Expected 200; got ${response.statusCode}.`);
  if (kind === "slow") {
    response.pause();
    return;
  }
  const refresh = kind === "pages" ? createRefresh() : () => undefined;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    const found = chunk.toString("latin1").matchAll(/"at":(\d{13})/g);
    for (const [, at] of found) {
      events += 1;
      const age = Date.now() - Number(at);
      latest = Math.max(latest, age);
      if (age > 500) late += 1;
    }
    refresh();
  });
}

await Promise.all(Array.from({ length: Number(count) }, follow));
console.log("connected");
process.stdin.resume();
await once(process.stdin, "end");
console.log(
  `${events} events, ${late} of them after more than 500 ms, the latest after ${latest} ms; ${reads} families; ${(bytes / 2 ** 20).toFixed(0)} MiB`,
);
process.exit(0);
