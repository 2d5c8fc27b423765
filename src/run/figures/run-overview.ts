import { addUpFamilies, type FamilyFigures } from "./figures.ts";
import type { Run } from "../run.ts";

/**
 * A run as lists and trees show it. Its `runs`, `turns`, `toolCalls`, `usage` and `cost` are those of the run and all its
 * descendants; `own` has those of the run alone.
 */
export interface RunOverview extends Run, FamilyFigures {}

/** Adds to `run` what it and all its descendants took; absent = what it took alone. */
export function toRunOverview(
  run: Run,
  figures: FamilyFigures = { runs: 1, ...run.own },
): RunOverview {
  const { result, own } = run;
  return { ...run, ...figures, result: result && { ...result, ...figures, own } };
}

/** The same for runs among which are all the descendants of each. */
export function toRunOverviews(runs: readonly Run[]): RunOverview[] {
  const figures = addUpFamilies(runs);
  return runs.map((run) => toRunOverview(run, figures.get(run.id)));
}
