import { addUpFamilies, type FamilyFigures } from "./figures.ts";
import type { Run } from "./run.ts";

/**
 * A run with the figures of lists and trees. `runs`, `turns`, `toolCalls`, `usage` and `cost` include all descendants;
 * `own` holds the figures of the run alone.
 */
export interface RunOverview extends Run, FamilyFigures {}

/** Adds the figures of `run` and its descendants. Default: the figures of the run alone. */
export function toRunOverview(
  run: Run,
  figures: FamilyFigures = { runs: 1, ...run.own },
): RunOverview {
  const { result, own } = run;
  return { ...run, ...figures, result: result && { ...result, ...figures, own } };
}

/** Adds the figures to each of `runs`, which must include all their descendants. */
export function toRunOverviews(runs: readonly Run[]): RunOverview[] {
  const figures = addUpFamilies(runs);
  return runs.map((run) => toRunOverview(run, figures.get(run.id)));
}
