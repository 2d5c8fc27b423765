import type { RunSpec } from "./run.ts";

type Placed = Pick<RunSpec, "sequence" | "parentId" | "detached">;

/**
 * The id of the ancestor within which a run is kept apart from others of its sequence; `null` = in the whole family. A run
 * that is inside another of its sequence must not wait for that one, nor for those that do. Nothing above a detached run
 * has it inside: that may end before.
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
