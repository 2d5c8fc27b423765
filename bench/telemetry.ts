import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runProgram, withModelServer } from "./run-program.ts";

/** Compares Cadre with and without telemetry, which goes to a collector that only answers: CPU per step, in pairs. */
const stepsPerAgent = 3;
const agents = 300;
const pairs = 5;

/** Starts a collector on a free port for as long as `use` takes. */
async function withCollector(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  server.close();
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

await withModelServer(0, async (baseUrl) => {
  await withCollector(async (endpoint) => {
    const run = join(import.meta.dirname, "run-cadre.ts");
    const args = [baseUrl, "fan-out", String(agents)];
    const perStep = async (variables: Record<string, string>): Promise<number> =>
      (await runProgram(run, args, variables)).cpuMs / (agents * stepsPerAgent);
    const [off, on, ratios]: [number[], number[], number[]] = [[], [], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      const without = await perStep({});
      const traced = await perStep({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
      off.push(without);
      on.push(traced);
      ratios.push(traced / without);
    }
    console.log(
      `${agents} agents, ${pairs} pairs: ${median(off).toFixed(3)} ms CPU/step without telemetry, ${median(on).toFixed(3)} ms with; ratio ${median(ratios).toFixed(2)}`,
    );
  });
});
