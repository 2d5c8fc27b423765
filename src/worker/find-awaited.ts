import type { Registry } from "../registry/registry.ts";
import type { WorkItem } from "../registry/work-table.ts";
import { isTerminal } from "../run/run.ts";

/**
 * Finds the unfinished runs of other families that a family depends on before it begins. On a worker, a family that waits for
 * such runs takes a slot that they might need. Returns an empty list when the family can begin, or must end because of one of
 * them.
 */
export async function findAwaited(
  registry: Pick<Registry, "run" | "spec">,
  { rootId, awaits }: WorkItem,
): Promise<string[]> {
  const root = awaits === null ? undefined : await registry.run(rootId);
  if (root === undefined || root.startedAt !== null) return [];
  const runs = await Promise.all(root.dependsOn.map(async (id) => await registry.run(id)));
  const endsIt = runs.some(
    (run) => run === undefined || (run.endedAt !== null && run.status !== "succeeded"),
  );
  if (endsIt && (await registry.spec(rootId))?.onDependencyError !== "run") return [];
  return runs.flatMap((run) => (run === undefined || isTerminal(run.status) ? [] : [run.id]));
}
