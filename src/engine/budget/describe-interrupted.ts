import type { Run } from "../../run/run.ts";

/** What to say of requests whose process was killed: they count in the budget, and nobody knows what they took. */
export function describeInterrupted({ interrupted }: Pick<Run, "interrupted">): string[] {
  if (interrupted === undefined) return [];
  return [
    `A request to a model was under way when its process was killed. Budgets count the most it may have taken, ${interrupted.tokens} tokens in all; the usage of the run does not.`,
  ];
}
