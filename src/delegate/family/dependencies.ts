import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import { shortRunId } from "../../short-run-id.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { Family } from "./family.ts";
import type { FamilyRun } from "./family-run.ts";

/** The dependencies of a requested run. */
export interface Dependent {
  /** Ids, or labels. */
  names: readonly string[];
  label: string | undefined;
  sequence: string | undefined;
  isDetached: boolean;
}

/**
 * Resolves the dependencies of a new child of `parentId` to ids, in the given order.
 *
 * @throws CadreError `dependency-not-found`, or `dependency-cycle` when a dependency waits for the new run. Its parent, and every
 * run that waits for the parent, wait for it.
 */
export function resolveInFamily(family: Family, parentId: string, dependent: Dependent): string[] {
  const { names, label, sequence } = dependent;
  const found = names.map((name) => findFamilyRun(family, name, label));
  const ahead = sequence === undefined ? [] : family.aheadOf(parentId, sequence);
  if (found.length > 0 || ahead.length > 0) {
    refuseAncestors(family, parentId, found);
    if (!dependent.isDetached) refuseWaiters(family, parentId, [...found, ...ahead]);
  }
  return found.map(({ id }) => id);
}

/**
 * Resolves the dependencies of a root run to ids: any run of the registry by its id, or a root run by its label in `labels`.
 *
 * @throws CadreError `dependency-not-found`, or `dependency-cycle` for its own label.
 */
export async function resolveAmongRoots(
  registry: Pick<Registry, "run" | "findRuns">,
  labels: ReadonlyMap<string, string>,
  { names, label }: Pick<Dependent, "names" | "label">,
): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const found =
      (await registry.run(name))?.id ?? labels.get(name) ?? (await findOnly(registry, name));
    if (found === undefined) throw missing(name, label, [...labels.keys()]);
    ids.push(found);
  }
  return ids;
}

async function findOnly(
  registry: Pick<Registry, "findRuns">,
  name: string,
): Promise<string | undefined> {
  const found = await registry.findRuns(name);
  return found.length === 1 ? found[0]?.id : undefined;
}

/** Finds the run of the family with the name `name`: an id, a label, or the part of an id after its dash. */
export function findFamilyRun(family: Family, name: string, ownLabel?: string): FamilyRun {
  const found = family.find(name);
  if (found === undefined) throw missing(name, ownLabel, family.labels);
  return found;
}

/** The maximum number of labels in an error. */
const maxListed = 50;

function missing(
  name: string,
  ownLabel: string | undefined,
  labels: readonly string[],
): CadreError {
  if (name === ownLabel) {
    const message = `A run cannot wait for itself: ${name} -> ${name}. There is no other run with this label.`;
    return new CadreError("dependency-cycle", message, { details: { path: [name, name] } });
  }
  const known = labels.slice(-maxListed).join(", ") || "none";
  const message = `There is no run with the id or the label "${name}".${didYouMean(name, labels)} Labels: ${known}.`;
  return new CadreError("dependency-not-found", message, { details: { name } });
}

function refuseAncestors(family: Family, parentId: string, found: readonly FamilyRun[]): void {
  const path: FamilyRun[] = [];
  let ancestor = family.get(parentId);
  while (ancestor !== undefined) {
    path.unshift(ancestor);
    if (found.includes(ancestor)) throw cycle(path);
    ancestor = ancestor.parentId === null ? undefined : family.get(ancestor.parentId);
  }
}

/** Refuses a cycle. Only its parent, and runs that wait for its parent, wait for a new run. */
function refuseWaiters(family: Family, parentId: string, wanted: readonly FamilyRun[]): void {
  const parent = family.get(parentId);
  if (parent === undefined) return;
  // The parent waits for its descendants, so they cannot wait for it. This saves the search for near runs.
  const refused = new Set(wanted.filter((run) => !isBelow(family, run, parentId)));
  if (refused.size === 0) return;
  /** The run that each run waits for, on the way to the parent. */
  const next = new Map<FamilyRun, FamilyRun | undefined>([[parent, undefined]]);
  for (const run of next.keys()) {
    if (refused.has(run)) throw cycle(pathFrom(run, next));
    for (const waiter of family.waitersOf(run.id)) {
      if (!next.has(waiter)) next.set(waiter, run);
    }
  }
}

/** Reports whether a run is a descendant of another one that waits for it. */
function isBelow(family: Family, run: FamilyRun, ancestorId: string): boolean {
  let at: FamilyRun | undefined = run;
  while (at !== undefined && at.detached !== true && at.parentId !== null) {
    if (at.parentId === ancestorId) return true;
    at = family.get(at.parentId);
  }
  return false;
}

function pathFrom(
  start: FamilyRun,
  next: ReadonlyMap<FamilyRun, FamilyRun | undefined>,
): FamilyRun[] {
  const path: FamilyRun[] = [];
  for (let at: FamilyRun | undefined = start; at !== undefined; at = next.get(at)) path.push(at);
  return path;
}

function cycle(path: readonly FamilyRun[]): CadreError {
  const names = ["the new run", ...path.map(nameOf), "the new run"];
  const message = `A run cannot wait for a run that waits for it: ${names.join(" -> ")}. Depend on a run that does not wait for this one, or let ${nameOf(path[0])} end first.`;
  const ids = path.map(({ id }) => id);
  return new CadreError("dependency-cycle", message, { details: { path: names, runIds: ids } });
}

function nameOf(run: FamilyRun | undefined): string {
  if (run === undefined) return "it";
  return run.label ?? `${run.agent} (${shortRunId(run.id)})`;
}
