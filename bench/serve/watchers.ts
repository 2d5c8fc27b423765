import { request, type IncomingMessage, Agent } from "node:http";
import { once } from "node:events";
import { constants, createGunzip } from "node:zlib";
import { omitUndefined } from "../../src/omit-undefined.ts";

/** Clients of a server: `URL TOKEN ROOT KIND COUNT`. Reports when all are connected, and at the end of stdin what they received. */
const [, , url = "", token = "", root = "", kind = "", count = "1"] = process.argv;
const headers = { authorization: `Bearer ${token}` };
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let events = 0;
let latest = 0;
let late = 0;
let bytes = 0;
let reads = 0;
let receivedAt = 0;

async function get(path: string, accept?: string): Promise<IncomingMessage> {
  const sent = request(`${url}/api/v1${path}`, {
    agent,
    headers: {
      ...headers,
      "accept-encoding": "gzip",
      ...omitUndefined({ accept }),
    },
  });
  sent.end();
  try {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  } catch (error) {
    // The server may close an idle connection, and has done so in the meantime.
    if (sent.reusedSocket) return await get(path, accept);
    throw error;
  }
}

async function read(path: string): Promise<void> {
  const response = await get(path);
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  reads += 1;
}

/** Sends the requests of a family's page: the family once, and after 5 seconds without an event, whether its process is gone. */
async function beginPage(): Promise<void> {
  await read(`/runs/${root}/family`);
  setInterval(() => {
    if (performance.now() - receivedAt >= 5000) void read(`/runs/${root}`);
  }, 5000);
}

async function follow(index: number): Promise<void> {
  // A page receives the events of all runs.
  const path = root === "" || kind === "pages" ? "/events" : `/events?root=${root}`;
  const response = await get(
    `${path}${kind === "slow" ? `${path.includes("?") ? "&" : "?"}after=` : ""}`,
    "text/event-stream",
  );
  if (response.statusCode !== 200) throw new Error(`Expected 200; got ${response.statusCode}.`);
  if (kind === "slow") {
    response.pause();
    return;
  }
  if (kind === "pages") void beginPage();
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    receivedAt = performance.now();
  });
  // Only one client parses the events: two hundred on this machine would take CPU time from the server.
  if (index > 0) return;
  response.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })).on("data", (chunk: Buffer) => {
    const found = chunk.toString("latin1").matchAll(/"at":(\d{13})/g);
    for (const [, at] of found) {
      events += 1;
      const age = Date.now() - Number(at);
      latest = Math.max(latest, age);
      if (age > 500) late += 1;
    }
  });
}

// A system accepts only a limited number of connections at once.
for (let index = 0; index < Number(count); index += 50) {
  const some = Array.from({ length: Math.min(50, Number(count) - index) }, (_, at) => index + at);
  await Promise.all(some.map(follow));
}
console.log("connected");
process.stdin.resume();
await once(process.stdin, "end");
console.log(
  `${events} events for each, ${late} of them after more than 500 ms, the latest after ${latest} ms; ${reads} lists; ${(bytes / 2 ** 20).toFixed(0)} MiB`,
);
process.exit(0);
