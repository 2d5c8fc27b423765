import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPrivateServer } from "../test/fixtures/postgres/private-server.ts";
import { startProxy } from "../test/fixtures/postgres/proxy.ts";

/** Compares the registry in PostgreSQL with the registry in a file on this machine, with round trips of 0 and 2 ms; medians of 3 rounds. */
const rounds = 3;
const server = await startPrivateServer({ isDurable: true });
const proxy = await startProxy(server.url);
proxy.delayMs = 2;
const stores: readonly (readonly [string, string | undefined])[] = [
  ["SQLite", undefined],
  ["PostgreSQL", server.url],
  ["PostgreSQL, 2 ms away", proxy.url],
];

async function measure(what: string, url: string | undefined): Promise<Record<string, number>> {
  const words = [join(import.meta.dirname, "run-registry.ts"), what];
  if (url !== undefined) words.push(url);
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as Record<string, number>;
}

function medianOf(results: readonly Record<string, number>[], name: string): number {
  const sorted = results.map((one) => one[name] ?? Number.NaN).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const all = new Map<string, Record<string, number>[]>();
try {
  for (let round = 0; round < rounds; round += 1) await measureAll();
} finally {
  proxy.close();
  await server.stop();
}

async function measureAll(): Promise<void> {
  for (const [name, url] of stores) {
    for (const what of url === undefined
      ? ["children", "events"]
      : ["children", "events", "dispatched"]) {
      const key = `${what} ${name}`;
      all.set(key, [...(all.get(key) ?? []), await measure(what, url)]);
    }
  }
}

for (const [name] of stores) {
  const [children, events] = [all.get(`children ${name}`) ?? [], all.get(`events ${name}`) ?? []];
  const dispatched = all.get(`dispatched ${name}`);
  console.log(
    `${name}: 1,000 sub-agents at 200 ms ${medianOf(children, "wallMs").toFixed(0)} ms, CPU ${medianOf(children, "cpuMs").toFixed(0)} ms; ` +
      `64 runs ${medianOf(events, "perSecond").toFixed(0)} events/s, CPU ${medianOf(events, "cpuMicros").toFixed(0)} µs an event` +
      (dispatched === undefined
        ? ""
        : `; 1,000 sub-agents by a worker ${medianOf(dispatched, "wallMs").toFixed(0)} ms`),
  );
}
