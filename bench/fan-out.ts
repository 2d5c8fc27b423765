import { execFile, fork } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Measurement } from "./measure.ts";

/** Compares Cadre with the loop written by hand, in one run: CPU per step at no latency, wall time at 200 ms, memory. */
const stepsPerAgent = 3;

const script = (name: string): string => join(import.meta.dirname, name);

async function withServer<Value>(
  latencyMs: number,
  use: (baseUrl: string) => Promise<Value>,
): Promise<Value> {
  const server = fork(script("model-server.ts"), [String(latencyMs)]);
  const port = await new Promise<number>((resolve) => server.once("message", resolve));
  try {
    return await use(`http://127.0.0.1:${port}/v1`);
  } finally {
    server.kill();
  }
}

async function execute(name: string, args: readonly string[]): Promise<Measurement> {
  const { stdout } = await promisify(execFile)(process.execPath, [script(name), ...args], {
    maxBuffer: 1 << 20,
  });
  return JSON.parse(stdout) as Measurement;
}

async function compare(latencyMs: number, agents: number): Promise<void> {
  await withServer(latencyMs, async (baseUrl) => {
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

/** Steps one after another: what is added to the model's own time, which the loop written by hand shows. */
async function compareChain(latencyMs: number, length: number): Promise<void> {
  await withServer(latencyMs, async (baseUrl) => {
    const bare = await execute("run-bare.ts", [baseUrl, "chain", String(length)]);
    const cadre = await execute("run-cadre.ts", [baseUrl, "chain", String(length)]);
    const ratio = (cadre.wallMs / bare.wallMs).toFixed(3);
    console.log(
      `chain of ${length} at ${latencyMs} ms: bare ${(bare.wallMs / 1000).toFixed(2)} s, Cadre ${(cadre.wallMs / 1000).toFixed(2)} s, ratio ${ratio}`,
    );
  });
}

for (const agents of [10, 100, 1000]) await compare(0, agents);
await compare(200, 1000);
await compareChain(200, 50);
