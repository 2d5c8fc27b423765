import type { Run } from "../../run/run.ts";
import { type RunOverview, toRunOverview } from "../../run/figures/run-overview.ts";
import type { Registry } from "../registry.ts";

/** Adds to each of `runs` what it and its descendants took so far. */
export async function readOverviews(
  registry: Pick<Registry, "figures">,
  runs: readonly Run[],
): Promise<RunOverview[]> {
  const figures = await registry.figures(runs.map(({ id }) => id));
  return runs.map((run) => toRunOverview(run, figures.get(run.id)));
}

/** The same for one. */
export async function readOverview(
  registry: Pick<Registry, "figures">,
  run: Run,
): Promise<RunOverview> {
  const figures = await registry.figures([run.id]);
  return toRunOverview(run, figures.get(run.id));
}
