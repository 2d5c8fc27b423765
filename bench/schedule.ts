import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Shows that a waiting run costs as much among ten thousand as among a hundred. */
interface Cost {
  cpuMs: number;
  wallMs: number;
  heapKiB: number;
}

const script = join(import.meta.dirname, "run-schedule.ts");

for (const runs of [100, 1000, 10_000]) {
  const args = ["--expose-gc", script, String(runs)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { accepted, executed } = JSON.parse(stdout) as Record<"accepted" | "executed", Cost>;
  console.log(
    `${runs} runs that wait: to accept one ${describe(accepted)}, ${accepted.heapKiB.toFixed(1)} KiB; to execute one ${describe(executed)}`,
  );
}

function describe({ cpuMs, wallMs }: Cost): string {
  return `${cpuMs.toFixed(2)} ms CPU, ${wallMs.toFixed(2)} ms wall`;
}
