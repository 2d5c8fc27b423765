import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dbos, migrateQueue, startWorker } from "../src/dbos.ts";
import { migratePostgres, postgres } from "../src/postgres.ts";
import { createCadre, defineAgent } from "../src/index.ts";
import { openRegistry } from "../src/registry/sqlite/sqlite-registry.ts";
import type { Registry } from "../src/registry/registry.ts";
import { created, finished } from "../test/fixtures/run-spec.ts";

/**
 * Takes one measurement of a registry. `children`: the time of 1,000 simultaneous sub-agents that take 200 ms each. `events`: the
 * events per second of 64 runs, each of which waits until its event is durable. `dispatched`: like `children`, by a worker in this
 * process. The third argument is the address of a PostgreSQL server; without it, the registry is a file.
 */
const [, , what, url] = process.argv;
const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
const isDispatched = what === "dispatched";
const schema = `b_${process.pid}`;
const source = url === undefined ? undefined : postgres({ url, schema, migrate: true });

async function measureChildren(): Promise<Record<string, number>> {
  const count = 1000;
  const options = {
    home: folder,
    model: "openai:mock",
    environment: { OPENAI_API_KEY: "none" },
    limits: { children: count, concurrency: count + 1, familyRuns: count + 1 },
    agents: [
      defineAgent({
        name: "worker",
        description: "Takes 200 ms.",
        run: () => new Promise<string>((resolve) => setTimeout(resolve, 200, "done")),
      }),
      defineAgent({
        name: "boss",
        description: "Starts all workers.",
        async run(_input, { delegate }) {
          const all = Array.from({ length: count }, (_, index) =>
            delegate({ agent: "worker", task: `part ${index}` }),
          );
          return `${(await Promise.all(all)).length}`;
        },
      }),
    ],
  };
  const registry = source ?? join(folder, "state");
  const engine = isDispatched ? dbos() : ("local" as const);
  if (isDispatched) {
    await migratePostgres({ url: url ?? "", schema });
    await migrateQueue({ url: url ?? "", schema });
  }
  const cadre = await createCadre({ ...options, cwd: folder, registry, engine });
  const worker =
    isDispatched && source !== undefined
      ? await startWorker({ ...options, registry: source })
      : undefined;
  await cadre.run({ agent: "worker", task: "warm up" });
  const cpu = process.cpuUsage();
  const before = performance.now();
  const { text, status } = await cadre.run({ agent: "boss", task: "go" });
  if (status !== "succeeded" || text !== String(count)) throw new Error(`${status}: ${text}`);
  const wallMs = performance.now() - before;
  const { user, system } = process.cpuUsage(cpu);
  await worker?.stop();
  await cadre.close();
  return { wallMs, cpuMs: (user + system) / 1000 };
}

async function measureEvents(): Promise<Record<string, number>> {
  const registry: Registry =
    source?.openRegistry([]) ?? openRegistry({ path: join(folder, "r.db") });
  const runs = Array.from({ length: 64 }, (_, index) => `r${index}`);
  for (const id of runs) registry.append(id, created(id));
  await registry.flushed();
  let events = 0;
  const until = performance.now() + 4000;
  const cpu = process.cpuUsage();
  const before = performance.now();
  await Promise.all(
    runs.map(async (id) => {
      registry.append(id, { type: "run-started", owner: "bench" });
      while (performance.now() < until) {
        registry.append(id, { type: "warning-raised", message: "x".repeat(500) });
        events += 1;
        await registry.flushed();
      }
    }),
  );
  const seconds = (performance.now() - before) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const id of runs) registry.append(id, finished(id));
  await registry.close();
  return { perSecond: events / seconds, cpuMicros: (user + system) / events };
}

const result = what === "events" ? await measureEvents() : await measureChildren();
process.stdout.write(JSON.stringify(result));
await rm(folder, { recursive: true, force: true });
