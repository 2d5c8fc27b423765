import { addCost, addUsage, noUsage, type Usage } from "../usage.ts";

/** What a run took. */
export interface Figures {
  /** Model steps recorded. */
  turns: number;
  /** Calls of tools begun. */
  toolCalls: number;
  usage: Usage;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
}

/** What a run and all its descendants took together. */
export interface FamilyFigures extends Figures {
  /** How many runs that is, the run itself included. */
  runs: number;
}

/** Nothing taken yet. */
export const noFigures: Readonly<Figures> = Object.freeze({
  turns: 0,
  toolCalls: 0,
  usage: noUsage,
  cost: 0,
});

function addFigures(left: FamilyFigures, right: FamilyFigures): FamilyFigures {
  return {
    runs: left.runs + right.runs,
    turns: left.turns + right.turns,
    toolCalls: left.toolCalls + right.toolCalls,
    usage: addUsage(left.usage, right.usage),
    cost: addCost(left.cost, right.cost),
  };
}

/** What all of `runs` took. */
export function addUpRuns(runs: readonly Pick<FamilyMember, "own">[]): FamilyFigures {
  const each = runs.map(({ own }): FamilyFigures => ({ runs: 1, ...own }));
  return each.reduce(addFigures, { runs: 0, ...noFigures });
}

/** What {@link addUpFamilies} has to know of a run. */
export interface FamilyMember {
  id: string;
  parentId: string | null;
  own: Figures;
}

/** For each of `members`, by its id, what it and all its descendants among them took. They may come in any order. */
export function addUpFamilies(members: readonly FamilyMember[]): Map<string, FamilyFigures> {
  const byId = new Map(members.map((member) => [member.id, member]));
  const sums = new Map<string, FamilyFigures>();
  for (const { id, own } of members) {
    const figures = { runs: 1, ...own };
    for (const ancestorId of selfAndAncestors(id, byId)) {
      const sum = sums.get(ancestorId);
      sums.set(ancestorId, sum === undefined ? figures : addFigures(sum, figures));
    }
  }
  return sums;
}

/** A damaged journal may say that two runs are each other's parents; each run comes once. */
function selfAndAncestors(id: string, byId: ReadonlyMap<string, FamilyMember>): Set<string> {
  const ids = new Set<string>();
  let at = byId.get(id);
  while (at !== undefined && !ids.has(at.id)) {
    ids.add(at.id);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return ids;
}
