// Measures `cadre serve`: lists and trees at a million events, the cost of watching clients for a family of 1,000 runs, a thousand
// readers that read nothing, and memory. `node bench/serve/serve.ts [million|watchers|slow|memory]`

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { created, finished } from "../../test/fixtures/run-spec.ts";
import type { ApiClient } from "../../src/client.ts";
import { openRegistry } from "../../src/registry/sqlite/sqlite-registry.ts";
import { createServedFolder, startServed, type Served, benchToken } from "./server.ts";

/** Returns the seconds of CPU time that a process has used. */
function cpuOf({ pid }: ChildProcess): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const values = fields.split(" ");
  return (Number(values[11]) + Number(values[12])) / 100;
}

function memoryOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Starts a process with watching clients: `pages` read what a family's page reads, `slow` ones never read. */
async function watch(
  { url }: Served,
  root: string,
  { count, kind }: { count: number; kind: "events" | "pages" | "slow" },
): Promise<{ stop: () => Promise<string> }> {
  const words = [join(import.meta.dirname, "watchers.ts"), url, benchToken, root, kind, `${count}`];
  const stdio: ["pipe", "pipe", "inherit"] = ["pipe", "pipe", "inherit"];
  const child = spawn(process.execPath, words, { stdio });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  return {
    async stop() {
      child.stdin.end();
      const { value } = (await lines.next()) as { value: string };
      return value;
    },
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** The cost of a family: elapsed seconds, CPU seconds of the server, and the report of its watchers. */
interface FamilyCost {
  seconds: number;
  cpu: number;
  report: string;
}

/** Measures a family of a thousand runs, watched by `count` clients in a separate process. */
async function measureFamily(
  served: Served,
  watchers: { count: number; kind: "events" | "pages" | "slow" } | undefined,
): Promise<FamilyCost> {
  const { client, child } = served;
  const idle = await client.startRun({ agent: "main", task: "go" });
  await client.readResult(idle.run.id);
  const begun = performance.now();
  const before = cpuOf(child);
  const { run } = await client.startRun({ agent: "main", task: "begin" });
  const ended = client.readResult(run.id, { wait: 600 }).then(({ result }) => {
    if (result.status !== "succeeded") throw new Error(`Expected success: ${result.text}`);
    return { seconds: (performance.now() - begun) / 1000, cpu: cpuOf(child) - before };
  });
  // On a busy machine, the last client may connect after the end.
  const watching = watchers && (await watch(served, run.id, watchers));
  const connected = `all connected after ${((performance.now() - begun) / 1000).toFixed(1)} s`;
  const cost = await ended;
  return {
    ...cost,
    report: watching === undefined ? "" : `${connected}; ${await watching.stop()}`,
  };
}

async function compareWatchers(
  name: string,
  watchers: { count: number; kind: "events" | "pages" | "slow" },
  { pairs }: { pairs: number },
): Promise<void> {
  const folder = createServedFolder(1000);
  const served = await startServed(folder);
  // Warms up the JIT.
  await measureFamily(served, undefined);
  const rows: { alone: FamilyCost; watched: FamilyCost }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const alone = await measureFamily(served, undefined);
    const watched = await measureFamily(served, watchers);
    rows.push({ alone, watched });
    console.log(
      `  alone ${alone.seconds.toFixed(2)} s, ${alone.cpu.toFixed(2)} s CPU; watched ${watched.seconds.toFixed(2)} s, ${watched.cpu.toFixed(2)} s CPU; ${watched.report}`,
    );
  }
  const of = (read: (cost: FamilyCost) => number): string => {
    const alone = median(rows.map((row) => read(row.alone)));
    const watched = median(rows.map((row) => read(row.watched)));
    const ratio = median(rows.map((row) => read(row.watched) / read(row.alone)));
    return `${alone.toFixed(2)} s alone, ${watched.toFixed(2)} s watched, ratio ${ratio.toFixed(3)}`;
  };
  console.log(`${name}, time: median ${of(({ seconds }) => seconds)}`);
  console.log(`${name}, CPU of the server: median ${of(({ cpu }) => cpu)}`);
  await served.stop();
  rmSync(folder, { recursive: true });
}

async function measureMillion(): Promise<void> {
  const folder = createServedFolder(1);
  const path = join(folder, "state", "cadre.db");
  const registry = openRegistry({ path });
  for (let index = 0; index < 10_000; index += 1) {
    const id = `r-${index}`;
    const rootId = `r-${index - (index % 500)}`;
    const parent = id === rootId ? {} : { parentId: rootId, parentStep: id, depth: 1 };
    registry.append(id, created(id, { rootId, ...parent }));
    registry.append(id, finished(id));
    if (index % 1000 === 0) await registry.flushed();
  }
  await registry.close();
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE series(value) AS (SELECT 3 UNION ALL SELECT value + 1 FROM series WHERE value < 100)
    INSERT INTO events (run_id, seq, at, type, data) SELECT id, value, 0, 'step-finished',
      json_object('type', 'step-finished', 'key', 'model/' || value, 'kind', 'model', 'durationMs', 1, 'value',
        json_object('finish', 'stop', 'parts', json_array(json_object('type', 'text', 'text', 'word' || (value % 97) || ' of run ' || id || ' says something about lists and trees'))))
      FROM runs, series`);
  database.close();
  const served = await startServed(folder);
  const headers = { authorization: `Bearer ${benchToken}` };
  const paths = [
    "/runs?limit=50",
    "/runs?all=true&limit=100",
    "/runs?all=true&limit=100&cursor=r-5000",
    "/runs?status=failed&limit=50",
    "/runs?agent=worker&all=true&limit=50",
    "/runs/r-500/tree",
    "/runs/r-777/family",
    "/runs/r-777/events?limit=200",
    "/runs/r-777/transcript",
    "/events?limit=200",
    "/questions",
    "/usage?group=agent",
    ...(process.argv.includes("--search") ? ["/search?text=word13%20lists"] : []),
  ];
  for (const item of paths) {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 30; round += 1) {
      const begun = performance.now();
      const answer = await fetch(`${served.url}/api/v1${item}`, { headers });
      bytes = (await answer.text()).length;
      if (!answer.ok) throw new Error(`${item}: ${answer.status}`);
      times.push(performance.now() - begun);
    }
    const sorted = times.toSorted((one, other) => one - other);
    console.log(
      `${item}: median ${median(times).toFixed(1)} ms, first ${times[0]?.toFixed(1)} ms, 27th of 30 ${sorted[26]?.toFixed(1)} ms, ${bytes} bytes`,
    );
  }
  await served.stop();
  rmSync(folder, { recursive: true });
}

async function measureMemory(): Promise<void> {
  const folder = createServedFolder(200);
  const served = await startServed(folder);
  const { run } = await served.client.startRun({ agent: "main", task: "go" });
  const watching = await watch(served, run.id, { count: 50, kind: "events" });
  const all = await watch(served, "", { count: 50, kind: "events" });
  for (let round = 0; round < 24; round += 1) {
    const begun = await served.client.startRun({ agent: "main", task: "begin" });
    await served.client.readResult(begun.run.id, { wait: 600 });
    if (round % 3 === 2)
      console.log(`round ${round + 1}: ${memoryOf(served.child).toFixed(0)} MiB`);
  }
  console.log(await watching.stop(), await all.stop());
  const { events } = await countEvents(served.client);
  console.log(`${events} events`);
  await served.stop();
  rmSync(folder, { recursive: true });
}

async function countEvents(client: ApiClient): Promise<{ events: number }> {
  const { runs } = await client.listRuns({ limit: 500 });
  let events = 0;
  for (const { id } of runs) {
    for (const { lastSeq } of (await client.readFamily(id)).runs) events += lastSeq;
  }
  return { events };
}

const [, , what = "all"] = process.argv;
if (what === "million" || what === "all") await measureMillion();
if (what === "watchers" || what === "all") {
  await compareWatchers("200 readers of events", { count: 200, kind: "events" }, { pairs: 6 });
  await compareWatchers("200 pages", { count: 200, kind: "pages" }, { pairs: 6 });
}
if (what === "slow" || what === "all") {
  await compareWatchers(
    "1,000 readers that read nothing",
    { count: 1000, kind: "slow" },
    { pairs: 2 },
  );
}
if (what === "memory" || what === "all") await measureMemory();
