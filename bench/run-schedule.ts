import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { library } from "./built-library.ts";

/**
 * Measures the cost of waiting and scheduling. The given number of runs depend on one run, which ends when all of them wait. Their
 * agent does nothing. Writes the milliseconds and KiB of each run.
 */
const { createCadre, defineAgent } = library;
const runs = Number(process.argv[2]);
const gate = Promise.withResolvers<string>();
const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
const cadre = await createCadre({
  cwd: folder,
  home: folder,
  registry: join(folder, "state"),
  model: "openai:mock",
  environment: { OPENAI_API_KEY: "none" },
  agents: [
    defineAgent({ name: "gate", description: "Waits.", run: () => gate.promise }),
    defineAgent({ name: "idle", description: "Does nothing.", run: () => "done" }),
  ],
});

/** Measures the time and memory of `work` for each run. */
async function measure(
  work: () => Promise<unknown>,
): Promise<{ cpuMs: number; wallMs: number; heapKiB: number }> {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  const before = { wall: performance.now(), cpu: process.cpuUsage() };
  await work();
  const { user, system } = process.cpuUsage(before.cpu);
  const wall = performance.now() - before.wall;
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed - heapUsed;
  return { cpuMs: (user + system) / 1000 / runs, wallMs: wall / runs, heapKiB: heap / 1024 / runs };
}

await (await cadre.spawn({ agent: "idle", task: "warm up" })).result();
const first = await cadre.spawn({ agent: "gate", task: "wait" });
const request = { agent: "idle", task: "do nothing", dependsOn: first.id };
const handles: Awaited<ReturnType<typeof cadre.spawn>>[] = [];
const accepted = await measure(async () => {
  for (let index = 0; index < runs; index += 1) handles.push(await cadre.spawn(request));
});
const executed = await measure(async () => {
  gate.resolve("open");
  const results = await Promise.all(handles.map((run) => run.result()));
  const failed = results.find(({ status }) => status !== "succeeded");
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
});
process.stdout.write(JSON.stringify({ accepted, executed }));
await cadre.close();
await rm(folder, { recursive: true, force: true });
