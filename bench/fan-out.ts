import { join } from "node:path";
import { isShort } from "./is-short.ts";
import type { Measurement } from "./measure.ts";
import { measureProgram, withModelServer } from "./run-program.ts";

/** Compares Cadre with the hand-written loop in one run: CPU per step without latency, wall time at 200 ms, memory. */
const stepsPerAgent = 3;

const execute = (name: string, args: readonly string[]): Promise<Measurement> =>
  measureProgram(join(import.meta.dirname, name), args);

async function compare(latencyMs: number, agents: number): Promise<void> {
  await withModelServer(latencyMs, async (baseUrl) => {
    const bare = await execute("run-bare.ts", [baseUrl, "fan-out", String(agents)]);
    const cadre = await execute("run-cadre.ts", [baseUrl, "fan-out", String(agents)]);
    const steps = agents * stepsPerAgent;
    report(`${agents} agents at ${latencyMs} ms, bare fetch`, bare, steps);
    report(`${agents} agents at ${latencyMs} ms, Cadre`, cadre, steps);
    const cpu = (cadre.cpuMs / bare.cpuMs).toFixed(2);
    const wall = (cadre.wallMs / bare.wallMs).toFixed(2);
    console.log(`  ratio: CPU ${cpu}, wall ${wall}\n`);
  });
}

function report(name: string, { wallMs, cpuMs, peakMiB }: Measurement, steps: number): void {
  const perStep = (cpuMs / steps).toFixed(3);
  console.log(
    `${name}: ${perStep} ms CPU/step, ${(wallMs / 1000).toFixed(2)} s wall, ${peakMiB.toFixed(0)} MiB`,
  );
}

/** Measures sequential steps: the time added to the model's own time, which the hand-written loop shows. */
async function compareChain(latencyMs: number, length: number): Promise<void> {
  await withModelServer(latencyMs, async (baseUrl) => {
    const bare = await execute("run-bare.ts", [baseUrl, "chain", String(length)]);
    const cadre = await execute("run-cadre.ts", [baseUrl, "chain", String(length)]);
    const ratio = (cadre.wallMs / bare.wallMs).toFixed(3);
    console.log(
      `chain of ${length} at ${latencyMs} ms: bare ${(bare.wallMs / 1000).toFixed(2)} s, Cadre ${(cadre.wallMs / 1000).toFixed(2)} s, ratio ${ratio}`,
    );
  });
}

for (const agents of isShort ? [10, 100] : [10, 100, 1000]) await compare(0, agents);
// The bare loop opens a socket for each request, and many machines allow a process 1,024 to 10,000 files.
await compare(200, 1000);
await compareChain(200, isShort ? 10 : 50);
