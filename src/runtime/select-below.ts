import type { Run } from "../run/run.ts";

/** A run and its descendants, of a family in order of creation. */
export function selectBelow(run: Run, family: readonly Run[]): Run[] {
  const ids = new Set([run.id]);
  // A child is always created after its parent, and `family` is in order of creation.
  for (const member of family) {
    if (member.parentId !== null && ids.has(member.parentId)) ids.add(member.id);
  }
  return family.filter(({ id }) => ids.has(id));
}
