import { addUpFamilies, type FamilyFigures, type RunFigures } from "../run/figures.ts";

/** The figures of a run of a family, and whether the run has ended. */
export interface FamilyRunFigures extends RunFigures {
  hasEnded: boolean;
}

/** Caches the figures of runs that have ended with all their descendants. These figures never change again. */
export interface EndedFigures {
  /** Returns the cached figures of the runs and their descendants, and the ids of the other runs. */
  find(ids: readonly string[]): { sums: Map<string, FamilyFigures>; others: string[] };
  /** Adds up `figures`, and caches those of the runs `ids` that have ended. */
  addUp(ids: readonly string[], figures: readonly FamilyRunFigures[]): Map<string, FamilyFigures>;
}

/** The maximum number of cached runs. */
const maxRuns = 50_000;

/** Creates an empty cache of figures. */
export function createEndedFigures(): EndedFigures {
  /** By the requested run; the most recently used one is last. */
  const known = new Map<string, ReadonlyMap<string, FamilyFigures>>();
  let runs = 0;

  function remember(id: string, figures: ReadonlyMap<string, FamilyFigures>): void {
    if (figures.size > maxRuns || known.has(id)) return;
    known.set(id, figures);
    runs += figures.size;
    for (const [oldest, { size }] of known) {
      if (runs <= maxRuns) return;
      known.delete(oldest);
      runs -= size;
    }
  }

  return {
    find(ids) {
      const sums = new Map<string, FamilyFigures>();
      const others: string[] = [];
      for (const id of ids) {
        const figures = known.get(id);
        if (figures === undefined) {
          others.push(id);
          continue;
        }
        known.delete(id);
        known.set(id, figures);
        for (const [runId, sum] of figures) sums.set(runId, sum);
      }
      return { sums, others };
    },
    addUp(ids, figures) {
      const sums = addUpFamilies(figures);
      const children = Map.groupBy(figures, ({ parentId }) => parentId);
      const byId = new Map(figures.map((run) => [run.id, run]));
      for (const id of ids) {
        const below = selectEnded(byId.get(id), children);
        if (below === undefined) continue;
        remember(id, new Map(below.flatMap((one) => toEntry(one, sums))));
      }
      return sums;
    },
  };
}

function toEntry(id: string, sums: ReadonlyMap<string, FamilyFigures>): [string, FamilyFigures][] {
  const figures = sums.get(id);
  return figures === undefined ? [] : [[id, figures]];
}

/** Returns the ids of a run and all its descendants; `undefined` when one of them has not ended. */
function selectEnded(
  root: FamilyRunFigures | undefined,
  children: ReadonlyMap<string | null, readonly FamilyRunFigures[]>,
): string[] | undefined {
  if (root === undefined) return undefined;
  // In a damaged journal two runs may be each other's parents.
  const ids = new Set<string>();
  const rest = [root];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (!one.hasEnded) return undefined;
    if (ids.has(one.id)) continue;
    ids.add(one.id);
    rest.push(...(children.get(one.id) ?? []));
  }
  return [...ids];
}
