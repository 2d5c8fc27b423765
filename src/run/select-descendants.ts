import type { Run } from "./run.ts";

/** Returns the descendants of a run among `family`, which is in order of creation, so that a child follows its parent. */
export function selectDescendants<Relative extends Pick<Run, "id" | "parentId">>(
  runId: string,
  family: readonly Relative[],
): Relative[] {
  const inside = new Set([runId]);
  return family.filter(({ id, parentId }) => {
    if (parentId === null || !inside.has(parentId)) return false;
    inside.add(id);
    return true;
  });
}
