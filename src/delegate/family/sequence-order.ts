import { sequenceScope } from "../../run/sequence-scope.ts";
import type { FamilyRun } from "./family-run.ts";

type Placed = Pick<FamilyRun, "sequence" | "parentId" | "detached">;

/** The order of running runs that must not overlap. */
export interface SequenceOrder {
  add(member: FamilyRun): void;
  /** Adds a run whose dependencies have ended. */
  enter(member: FamilyRun): void;
  /** Removes a run that has ended. */
  leave(member: FamilyRun): void;
  /** Returns the runs that a new run would follow. */
  aheadOf(member: Placed): FamilyRun[];
  /** Returns the runs that follow `member`. */
  behind(member: FamilyRun): FamilyRun[];
}

/** Creates an empty order. `get` finds a run of the family by its id. */
export function createSequenceOrder(get: (id: string) => FamilyRun | undefined): SequenceOrder {
  const groups = new Map<string, Set<FamilyRun>>();
  const places = new Map<FamilyRun, number>();
  let entries = 0;

  function others(member: Placed): FamilyRun[] {
    if (member.sequence === undefined) return [];
    const scope = sequenceScope(member, get);
    const group = groups.get(member.sequence) ?? [];
    return [...group].filter((other) => other !== member && sequenceScope(other, get) === scope);
  }

  return {
    add(member) {
      if (member.sequence === undefined) return;
      const group = groups.get(member.sequence) ?? new Set();
      groups.set(member.sequence, group.add(member));
    },
    enter(member) {
      if (member.sequence === undefined || places.has(member)) return;
      entries += 1;
      places.set(member, entries);
    },
    leave(member) {
      if (member.sequence === undefined) return;
      groups.get(member.sequence)?.delete(member);
      places.delete(member);
    },
    aheadOf: (member) => others(member).filter((other) => places.has(other)),
    behind(member) {
      const place = places.get(member);
      if (place === undefined) return [];
      return others(member).filter((other) => (places.get(other) ?? Infinity) > place);
    },
  };
}
