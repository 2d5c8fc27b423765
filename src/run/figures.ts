import { addCost, addUsage, noUsage, type Usage } from "./usage.ts";

/** The turns, tool calls, usage and cost of a run alone. */
export interface Figures {
  /** The number of recorded model steps. */
  turns: number;
  /** The number of started tool calls. */
  toolCalls: number;
  usage: Usage;
  /** US dollars; `null` when a price is unknown. */
  cost: number | null;
}

/** The figures of a run together with all its descendants. */
export interface FamilyFigures extends Figures {
  /** The number of runs, including the run itself. */
  runs: number;
}

/** Figures of zero. */
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

/** Returns the sum of the figures of `runs`. */
export function addUpRuns(runs: readonly Pick<RunFigures, "own">[]): FamilyFigures {
  const each = runs.map(({ own }): FamilyFigures => ({ runs: 1, ...own }));
  return each.reduce(addFigures, { runs: 0, ...noFigures });
}

/** A run's own figures and its parent, as {@link addUpFamilies} reads them. */
export interface RunFigures {
  id: string;
  parentId: string | null;
  own: Figures;
}

/**
 * Returns, by id, the figures of each run together with its descendants among `runs`, which may be in any order.
 */
export function addUpFamilies(runs: readonly RunFigures[]): Map<string, FamilyFigures> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const sums = new Map<string, FamilyFigures>();
  for (const { id, own } of runs) {
    const figures = { runs: 1, ...own };
    for (const ancestorId of selfAndAncestors(id, byId)) {
      const sum = sums.get(ancestorId);
      sums.set(ancestorId, sum === undefined ? figures : addFigures(sum, figures));
    }
  }
  return sums;
}

/** Returns each id once, because in a damaged journal two runs may be each other's parents. */
function selfAndAncestors(id: string, byId: ReadonlyMap<string, RunFigures>): Set<string> {
  const ids = new Set<string>();
  let at = byId.get(id);
  while (at !== undefined && !ids.has(at.id)) {
    ids.add(at.id);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return ids;
}
