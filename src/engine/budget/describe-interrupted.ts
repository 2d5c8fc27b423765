import type { Run } from "../../run/run.ts";

/**
 * Describes requests whose process was killed. They count in the budget with their reservation, because their real usage is
 * unknown.
 */
export function describeInterrupted({ interrupted }: Pick<Run, "interrupted">): string[] {
  if (interrupted === undefined) return [];
  return [
    `A model request was active when its process was killed. Budgets count its maximum usage, ${interrupted.tokens} tokens in total; the usage of the run does not include it.`,
  ];
}
