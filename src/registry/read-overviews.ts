import type { Run } from "../run/run.ts";
import { type RunOverview, toRunOverview } from "../run/run-overview.ts";
import type { Registry } from "./registry.ts";

/** Returns `runs`, each with the current usage, cost, turns and tool calls of itself and its descendants. */
export async function readOverviews(
  registry: Pick<Registry, "figures">,
  runs: readonly Run[],
): Promise<RunOverview[]> {
  const figures = await registry.figures(runs.map(({ id }) => id));
  return runs.map((run) => toRunOverview(run, figures.get(run.id)));
}

/** Returns one run as {@link readOverviews} does. */
export async function readOverview(
  registry: Pick<Registry, "figures">,
  run: Run,
): Promise<RunOverview> {
  const figures = await registry.figures([run.id]);
  return toRunOverview(run, figures.get(run.id));
}
