import type { RunSpec } from "./run.ts";

type Placed = Pick<RunSpec, "sequence" | "parentId" | "detached">;

/**
 * Returns the id of the ancestor in which a run must not overlap with others of its sequence; `null` = the whole
 * family. A run must not wait for an ancestor of its own sequence, nor for runs that wait for that ancestor. The search
 * ends at a detached run, which may outlive its ancestors.
 */
export function sequenceScope(run: Placed, get: (id: string) => Placed | undefined): string | null {
  let below = run;
  while (below.parentId !== null && below.detached !== true) {
    const ancestor = get(below.parentId);
    if (ancestor === undefined) return null;
    if (ancestor.sequence === run.sequence) return below.parentId;
    below = ancestor;
  }
  return null;
}
