import { sequenceScope } from "../run/sequence-scope.ts";
import type { Member } from "./member.ts";

type Placed = Pick<Member, "sequence" | "parentId" | "detached">;

/** Who is before whom among the runs at work that must not overlap. */
export interface SequenceOrder {
  add(member: Member): void;
  /** It takes its place: what it depended on has ended. */
  enter(member: Member): void;
  /** It has ended. */
  leave(member: Member): void;
  /** Those that have a place, which a new one would come after. */
  aheadOf(member: Placed): Member[];
  /** Those that come after `member`. */
  behind(member: Member): Member[];
}

/** An order of nobody yet; `get` finds a run of the family by its id. */
export function createSequenceOrder(get: (id: string) => Member | undefined): SequenceOrder {
  const groups = new Map<string, Set<Member>>();
  const places = new Map<Member, number>();
  let entries = 0;

  function others(member: Placed): Member[] {
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
