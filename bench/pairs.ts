import { join } from "node:path";
import { measureProgram, withModelServer } from "./run-program.ts";

const stepsPerAgent = 3;

/** Two ways to run Cadre, and the number of comparisons. */
export interface Pairs {
  /** A name for `changed`, for the report. */
  name: string;
  agents: number;
  pairs: number;
  /** The environment variables of the second run of each pair. */
  changed: Readonly<Record<string, string>>;
}

/** Measures the CPU time per step of `run-cadre.ts` with and without `changed`, alternately. Prints medians and their ratio. */
export async function comparePairs({ name, agents, pairs, changed }: Pairs): Promise<void> {
  await withModelServer(0, async (baseUrl) => {
    const run = join(import.meta.dirname, "run-cadre.ts");
    const args = [baseUrl, "fan-out", String(agents)];
    const perStep = async (variables: Readonly<Record<string, string>>): Promise<number> =>
      (await measureProgram(run, args, variables)).cpuMs / (agents * stepsPerAgent);
    const [before, after, ratios]: [number[], number[], number[]] = [[], [], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      const without = await perStep({});
      const with_ = await perStep(changed);
      before.push(without);
      after.push(with_);
      ratios.push(with_ / without);
    }
    console.log(
      `${agents} agents, ${pairs} pairs: ${median(before).toFixed(3)} ms CPU/step without ${name}, ${median(after).toFixed(3)} ms with; ratio ${median(ratios).toFixed(2)}`,
    );
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
