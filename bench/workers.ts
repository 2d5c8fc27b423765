import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCadre } from "../src/index.ts";
import { dbos, listWork, migrateQueue } from "../src/dbos.ts";
import { migratePostgres, postgres } from "../src/postgres.ts";
import { isShort } from "./is-short.ts";
import { startPrivateServer } from "../test/fixtures/postgres/private-server.ts";

/** Measures workers of the built command on this machine with a private PostgreSQL and `fsync`. Prints medians. CADRE_BENCH_SHORT=1: once and less. */
const main = join(import.meta.dirname, "..", "dist", "cli", "main.js");
const step = "reply: { delayMs: 200, calls: [{ tool: Read, input: { file_path: script.yaml } }] }";
const steps = [0, 1, 2, 3, 4].map((turn) => `  - when: { turn: ${turn} }\n    ${step}\n`).join("");
const script = `scripts:\n${steps}  - reply: { text: done, delayMs: 200 }\n`;

const server = await startPrivateServer({ isDurable: true });
const folder = mkdtempSync(join(tmpdir(), "cadre-workers-"));
writeFileSync(join(folder, "script.yaml"), script);
mkdirSync(join(folder, "home"));
const schema = "bench";
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: join(folder, "home"),
  CADRE_MODEL: "scripted:script.yaml",
  CADRE_REGISTRY_URL: server.url,
  CADRE_REGISTRY_SCHEMA: schema,
};
const registry = postgres({ url: server.url, schema });
await migratePostgres({ url: server.url, schema });
await migrateQueue({ url: server.url, schema });
const cadre = await createCadre({
  cwd: folder,
  home: environment.HOME,
  environment,
  registry,
  engine: dbos(),
});

async function startWorker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main, "worker", "--drain", "0s"], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.stderr !== null) await once(child.stderr, "data");
  return child;
}

async function stop(workers: readonly ChildProcess[]): Promise<void> {
  for (const worker of workers) {
    const ended = once(worker, "exit");
    worker.kill("SIGTERM");
    await ended;
  }
}

/** Returns the seconds of CPU time that a process has used. */
function cpuOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Four workers with 16 families each execute these in full rounds, so the ideal is four times the speed of one worker. With 160 families they took 2.5 rounds. */
const families = isShort ? 32 : 192;

/** Returns the milliseconds in which the workers execute the families, each of 6 steps at 200 ms. */
async function execute(): Promise<number> {
  const before = performance.now();
  const runs = await Promise.all(
    Array.from(
      { length: families },
      async () => await cadre.spawn({ agent: "main", task: "read" }),
    ),
  );
  await Promise.all(runs.map(async (run) => await run.result()));
  return performance.now() - before;
}

const times: number[] = [];
for (const count of [1, 2, 4]) {
  const workers = await Promise.all(Array.from({ length: count }, startWorker));
  const rounds: number[] = [];
  for (let round = 0; round < (isShort ? 1 : 4); round += 1) rounds.push(await execute());
  // The first round also starts everything that later rounds use.
  times.push(medianOf(isShort ? rounds : rounds.slice(1)));
  await stop(workers);
}
const [one = Number.NaN, two = Number.NaN, four = Number.NaN] = times;
console.log(
  `${families} families: 1 worker ${one.toFixed(0)} ms; 2 workers ${(one / two).toFixed(2)} times, 4 workers ${(one / four).toFixed(2)} times as fast`,
);

let [living, doomed] = [await startWorker(), await startWorker()];
// After a start, V8 collects garbage three times until half a minute has passed.
await delay(isShort ? 1000 : 40_000);
const idleSeconds = isShort ? 2 : 20;
const cpuBefore = cpuOf(living);
await delay(idleSeconds * 1000);
console.log(
  `idle CPU of a worker: ${(((cpuOf(living) - cpuBefore) / idleSeconds) * 100).toFixed(1)} %`,
);

const starts: number[] = [];
for (let at = 0; at < (isShort ? 2 : 20); at += 1) {
  const run = await cadre.spawn({ agent: "main", task: "read" });
  await run.result();
  const journal = await run.journal();
  const at0 = journal.find(({ type }) => type === "run-created")?.at ?? Number.NaN;
  starts.push((journal.find(({ type }) => type === "run-started")?.at ?? Number.NaN) - at0);
}
console.log(
  `submitted to started: median ${medianOf(starts).toFixed(0)} ms, longest ${Math.max(...starts).toFixed(0)} ms`,
);

async function familiesOf({ pid }: ChildProcess): Promise<string[]> {
  const { workers } = await listWork({ registry });
  return workers.find((worker) => worker.pid === pid)?.families ?? [];
}

/** Resolves when both workers execute families, so that the signal always takes some families away. */
async function areBusy(): Promise<void> {
  const until = performance.now() + 30_000;
  while (performance.now() < until) {
    const all = await Promise.all([living, doomed].map(familiesOf));
    if (all.every(({ length }) => length > 0)) return;
    await delay(20);
  }
  throw new Error("Expected both workers to execute families within 30 s.");
}

/** Signals a worker that executes families. Returns the milliseconds until the other worker has each of them. */
async function takeOver(signal: "SIGKILL" | "SIGTERM" | "SIGSTOP"): Promise<number[]> {
  // More families than one worker takes, so that both have some of them.
  const runs = await Promise.all(
    Array.from({ length: 24 }, async () => await cadre.spawn({ agent: "main", task: "read" })),
  );
  await areBusy();
  let left = await familiesOf(doomed);
  const signalledAt = performance.now();
  doomed.kill(signal);
  const taken: number[] = [];
  while (left.length > 0) {
    const now = new Set(await familiesOf(living));
    const moved = left.filter((id) => now.has(id));
    for (const _ of moved) taken.push(performance.now() - signalledAt);
    const others = left.filter((id) => !now.has(id));
    const isOpen = await Promise.all(others.map(async (id) => await isUnfinished(id)));
    left = others.filter((_, at) => isOpen[at]);
  }
  await Promise.all(runs.map(async (run) => await run.result()));
  if (signal === "SIGSTOP") doomed.kill("SIGKILL");
  [living, doomed] = [await startWorker(), living];
  return taken;
}

async function isUnfinished(id: string): Promise<boolean> {
  const [run] = await cadre.tree(id);
  return run?.result === null;
}

for (const [signal, rounds] of [
  ["SIGKILL", isShort ? 1 : 25],
  ["SIGTERM", isShort ? 1 : 10],
  ["SIGSTOP", 1],
] as const) {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(...(await takeOver(signal)));
  if (taken.length === 0)
    throw new Error(`${signal}: no family was taken over; nothing was measured.`);
  const longest = Math.max(...taken);
  console.log(
    `${signal} to takeover, ${taken.length} families: median ${medianOf(taken).toFixed(0)} ms, longest ${longest.toFixed(0)} ms`,
  );
}
await stop([living, doomed]);
await cadre.close();
await server.stop();
