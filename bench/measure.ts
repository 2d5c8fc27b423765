import { answerTo } from "./reply.ts";

/** The cost of one execution. */
export interface Measurement {
  wallMs: number;
  cpuMs: number;
  /** The peak memory of the process, in MiB. */
  peakMiB: number;
}

/** The base URL of the model server: the first argument of each measured program. `fan-out N` or `chain N` follows. */
export const baseUrl: string = process.argv[2] ?? "";

/**
 * Calls `run` twice with the main agent's task from the arguments and writes the measurement to stdout. The first call warms
 * up the JIT and shows the memory of one execution; the second is timed. Throws if the answer is wrong.
 */
export async function measureAgent(run: (task: string) => Promise<string>): Promise<void> {
  const task = process.argv.slice(3).join(" ");
  const work = async (): Promise<void> => {
    const answer = await run(task);
    if (answer === answerTo(task)) return;
    throw new Error(`Expected the answer "${answerTo(task)}", got ${JSON.stringify(answer)}.`);
  };
  await work();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  await work();
  const wallMs = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  const measurement: Measurement = { wallMs, cpuMs: (user + system) / 1000, peakMiB };
  process.stdout.write(JSON.stringify(measurement));
}
