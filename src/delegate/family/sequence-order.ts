import { sequenceScope } from "../../run/sequence-scope.ts";
import type { FamilyRun } from "./family-run.ts";

type Placed = Pick<FamilyRun, "sequence" | "parentId" | "detached">;

/** The order of running runs that must not overlap. */
export interface SequenceOrder {
  add(run: FamilyRun): void;
  /** Adds a run whose dependencies have ended. */
  enter(run: FamilyRun): void;
  /** Removes a run that has ended. */
  remove(run: FamilyRun): void;
  /** Returns the runs that a new run would follow. */
  aheadOf(run: Placed): FamilyRun[];
  /** Returns the runs that follow `run`. */
  behind(run: FamilyRun): FamilyRun[];
}

/** Creates an empty order. `get` finds a run of the family by its id. */
export function createSequenceOrder(get: (id: string) => FamilyRun | undefined): SequenceOrder {
  const groups = new Map<string, Set<FamilyRun>>();
  const places = new Map<FamilyRun, number>();
  let entries = 0;

  function others(run: Placed): FamilyRun[] {
    if (run.sequence === undefined) return [];
    const scope = sequenceScope(run, get);
    const group = groups.get(run.sequence) ?? [];
    return [...group].filter((other) => other !== run && sequenceScope(other, get) === scope);
  }

  return {
    add(run) {
      if (run.sequence === undefined) return;
      const group = groups.get(run.sequence) ?? new Set();
      groups.set(run.sequence, group.add(run));
    },
    enter(run) {
      if (run.sequence === undefined || places.has(run)) return;
      entries += 1;
      places.set(run, entries);
    },
    remove(run) {
      if (run.sequence === undefined) return;
      groups.get(run.sequence)?.delete(run);
      places.delete(run);
    },
    aheadOf: (run) => others(run).filter((other) => places.has(other)),
    behind(run) {
      const place = places.get(run);
      if (place === undefined) return [];
      return others(run).filter((other) => (places.get(other) ?? Infinity) > place);
    },
  };
}
