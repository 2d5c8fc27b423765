/** A family as rows of a tree and as bars of a timeline. */

import type { ServedRun } from "./types.ts";

/** A run in its tree. */
export interface FamilyRow {
  run: ServedRun;
  depth: number;
  childCount: number;
}

/** Lays out the runs of a family, each followed by its children. Omits the descendants of `folded` runs. */
export function layOutFamily(runs: readonly ServedRun[], folded: ReadonlySet<string>): FamilyRow[] {
  const known = new Set(runs.map(({ id }) => id));
  const children = Map.groupBy(runs, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : "",
  );
  const rows: FamilyRow[] = [];
  // A list instead of recursion, because runs may be nested deeply.
  const left = (children.get("") ?? []).map((run) => ({ run, depth: 0 })).reverse();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { run, depth } = next;
    const own = children.get(run.id) ?? [];
    rows.push({ run, depth, childCount: own.length });
    if (folded.has(run.id)) continue;
    left.push(...own.map((child) => ({ run: child, depth: depth + 1 })).reverse());
  }
  return rows;
}

/** A period in epoch milliseconds. */
export interface Span {
  from: number;
  to: number;
}

/** Returns the period from the creation of the first run to the last end, or to now while a run is active. */
export function spanOf(runs: readonly ServedRun[], now: number): Span {
  let [from, to] = [Infinity, -Infinity];
  for (const run of runs) {
    from = Math.min(from, run.createdAt);
    to = Math.max(to, endOf(run, now));
  }
  return runs.length === 0 ? { from: now, to: now } : { from, to: Math.max(to, from + 1) };
}

/** Returns the end of a run; for an interrupted run, the time of its last event. */
export function endOf({ endedAt, isLeft, lastEventAt }: ServedRun, now: number): number {
  return endedAt ?? (isLeft ? lastEventAt : now);
}

/**
 * Returns the runs that the end of the family waited for: from the root down, the child that ended last, and among the runs that a
 * run on the path had to wait for, again the one that ended last.
 */
export function findCriticalPath(runs: readonly ServedRun[], now: number): Set<string> {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const children = Map.groupBy(runs, ({ parentId }) => parentId ?? "");
  const lastOf = (some: readonly ServedRun[]): ServedRun[] => {
    const [first, ...rest] = some;
    if (first === undefined) return [];
    return [rest.reduce((last, run) => (endOf(run, now) > endOf(last, now) ? run : last), first)];
  };
  const path = new Set<string>();
  const left = runs.filter(({ id, rootId }) => id === rootId);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (path.has(next.id)) continue;
    path.add(next.id);
    const dependencies = next.dependsOn.flatMap((id) => byId.get(id) ?? []);
    left.push(...lastOf(children.get(next.id) ?? []), ...lastOf(dependencies));
  }
  return path;
}

/** Returns the name of a run: its label, or else its agent. The label of a pipeline agent is the event that started it. */
export function nameOf({ label, agent, parentStep }: ServedRun): string {
  if (label === null || parentStep?.startsWith("pipeline/") === true) return agent;
  // A trial's label also has the ids by which its eval finds it.
  return label.replace(/^eval \S+ \S+ /, "");
}
