import { CadreError } from "../errors.ts";
import type { Registry } from "../registry/registry.ts";
import { shortRunId } from "../run/run-id.ts";
import { didYouMean } from "../source/nearest.ts";
import type { Family } from "./family.ts";
import type { Member } from "./member.ts";

/** A run that is asked for, as far as it waits for others. */
export interface Dependent {
  /** Ids, or labels. */
  names: readonly string[];
  label: string | undefined;
  sequence: string | undefined;
  isDetached: boolean;
}

/**
 * The ids of the runs that a new child of `parentId` is to wait for, in the order of their names.
 *
 * @throws CadreError `dependency-not-found`, or `dependency-cycle` when one of them waits for the new run itself, which its
 * parent does and whatever waits for that.
 */
export function resolveInFamily(family: Family, parentId: string, dependent: Dependent): string[] {
  const { names, label, sequence } = dependent;
  const found = names.map((name) => findMember(family, name, label));
  const ahead = sequence === undefined ? [] : family.aheadOf(parentId, sequence);
  if (found.length > 0 || ahead.length > 0) {
    refuseAncestors(family, parentId, found);
    if (!dependent.isDetached) refuseWaiters(family, parentId, [...found, ...ahead]);
  }
  return found.map(({ id }) => id);
}

/**
 * The ids of the runs that a run without a parent is to wait for: any runs of the registry by their ids, or those without a
 * parent by the labels in `labels`.
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

/** The run of the family that `name` means: an id, a label, or what is behind the dash of an id. */
export function findMember(family: Family, name: string, ownLabel?: string): Member {
  const found = family.get(name) ?? family.labelled(name) ?? family.short(name);
  if (found === undefined) throw missing(name, ownLabel, family.labels);
  return found;
}

/** More labels than these are no help. */
const mostListed = 50;

function missing(
  name: string,
  ownLabel: string | undefined,
  labels: readonly string[],
): CadreError {
  if (name === ownLabel) {
    const message = `A run cannot wait for itself: ${name} -> ${name}. There is no other run with this label.`;
    return new CadreError("dependency-cycle", message, { details: { path: [name, name] } });
  }
  const known = labels.slice(-mostListed).join(", ") || "none";
  const message = `There is no run with the id or the label "${name}".${didYouMean(name, labels)} Labels: ${known}.`;
  return new CadreError("dependency-not-found", message, { details: { name } });
}

function refuseAncestors(family: Family, parentId: string, found: readonly Member[]): void {
  const path: Member[] = [];
  let ancestor = family.get(parentId);
  while (ancestor !== undefined) {
    path.unshift(ancestor);
    if (found.includes(ancestor)) throw cycle(path);
    ancestor = ancestor.parentId === null ? undefined : family.get(ancestor.parentId);
  }
}

/** Nobody waits for a run that does not exist yet but its parent, and those who wait for that. */
function refuseWaiters(family: Family, parentId: string, wanted: readonly Member[]): void {
  const parent = family.get(parentId);
  if (parent === undefined) return;
  // The parent waits for those below it, so they cannot be waiting for it: no need to look far for what is near.
  const refused = new Set(wanted.filter((member) => !isBelow(family, member, parentId)));
  if (refused.size === 0) return;
  /** What each one waits for, on the way to the parent. */
  const next = new Map<Member, Member | undefined>([[parent, undefined]]);
  for (const member of next.keys()) {
    if (refused.has(member)) throw cycle(pathFrom(member, next));
    for (const waiter of family.waitersOf(member.id)) {
      if (!next.has(waiter)) next.set(waiter, member);
    }
  }
}

/** Whether a run is a descendant of another that waits for it. */
function isBelow(family: Family, member: Member, ancestorId: string): boolean {
  let at: Member | undefined = member;
  while (at !== undefined && at.detached !== true && at.parentId !== null) {
    if (at.parentId === ancestorId) return true;
    at = family.get(at.parentId);
  }
  return false;
}

function pathFrom(start: Member, next: ReadonlyMap<Member, Member | undefined>): Member[] {
  const path: Member[] = [];
  for (let at: Member | undefined = start; at !== undefined; at = next.get(at)) path.push(at);
  return path;
}

function cycle(path: readonly Member[]): CadreError {
  const names = ["the new run", ...path.map(nameOf), "the new run"];
  const message = `A run cannot wait for one that waits for it: ${names.join(" -> ")}. Depend on a run that needs nothing of this one, or let ${nameOf(path[0])} end first.`;
  const ids = path.map(({ id }) => id);
  return new CadreError("dependency-cycle", message, { details: { path: names, runIds: ids } });
}

function nameOf(member: Member | undefined): string {
  if (member === undefined) return "it";
  return member.label ?? `${member.agent} (${shortRunId(member.id)})`;
}
