import { readEarlierSpecs } from "../../registry/read-earlier-specs.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { shortRunId } from "../../short-run-id.ts";
import { selectDescendants } from "../../run/select-descendants.ts";

/** Returns the descendants of the runs that `spec` continues, starting with those of the first run. */
export async function readEarlierDescendants(
  registry: Pick<Registry, "spec" | "family">,
  spec: RunSpec,
): Promise<Run[]> {
  const descendants = (await readEarlierSpecs(registry, spec)).map(async ({ id, rootId }) =>
    selectDescendants(id, await registry.family(rootId)),
  );
  return (await Promise.all(descendants)).toReversed().flat();
}

/** Returns the runs of earlier families in the conversation of `spec`. */
export async function readEarlierFamilyRuns(
  registry: Pick<Registry, "spec" | "family">,
  { rootId }: RunSpec,
): Promise<Run[]> {
  const root = await registry.spec(rootId);
  if (root?.continues === undefined) return [];
  const roots = new Set((await readEarlierSpecs(registry, root)).map((one) => one.rootId));
  const families = await Promise.all([...roots].map((id) => registry.family(id)));
  return families.toReversed().flat();
}

/** Finds the newest of `runs` with the given id, label or part of an id after its dash. */
export function findNamed(runs: readonly Run[], name: string): Run | undefined {
  return runs.findLast(({ id, label }) => id === name || label === name || shortRunId(id) === name);
}
