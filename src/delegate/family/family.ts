// The runs of a family: labels, dependencies, sequences, limits and shared context.

import type { FamilyRun } from "./family-run.ts";
import { createRunNames, type RunNames } from "./run-names.ts";
import { createSequenceOrder } from "./sequence-order.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** An index of a family's runs: their number, their names, and their waits for each other. */
export interface Family extends Pick<RunNames<FamilyRun>, "labels" | "labelled"> {
  /** The number of runs that the family has ever had, including the root. */
  readonly runs: number;
  readonly isAtWork: boolean;
  get(id: string): FamilyRun | undefined;
  /** Finds the run with the name `name`: an id, a label, or the part of an id after its dash. */
  find(name: string): FamilyRun | undefined;
  /** Counts the running children of a run, without those that wait for dependencies. */
  childrenAtWork(parentId: string): number;
  /** Returns the running runs that cannot start or end before this one has ended. */
  waitersOf(id: string): FamilyRun[];
  /** Returns the running runs for which a new child of `parentId` in `sequence` would wait. */
  aheadOf(parentId: string, sequence: string): FamilyRun[];
  add(run: FamilyRun): void;
  /** Removes a run that was not created. */
  remove(id: string): void;
  /** Marks the run's dependencies as ended. */
  dependenciesEnded(id: string): void;
  end(id: string): void;
}

interface Node extends FamilyRun {
  dependents: Node[];
  isEnded: boolean;
}

/** Creates an empty family. The cost of each operation depends only on the size of its result. */
export function createFamily(): Family {
  const nodes = new Map<string, Node>();
  const names = createRunNames<Node>();
  const sequences = createSequenceOrder((id) => nodes.get(id));
  const census = createCensus();

  function end(id: string): void {
    const node = nodes.get(id);
    if (node === undefined || node.isEnded) return;
    node.isEnded = true;
    census.end(node);
    sequences.remove(node);
  }

  return {
    get runs() {
      return nodes.size;
    },
    get isAtWork() {
      return census.unfinished > 0;
    },
    get labels() {
      return names.labels;
    },
    labelled: names.labelled,
    get: (id) => nodes.get(id),
    find: (name) => nodes.get(name) ?? names.labelled(name) ?? names.short(name),
    childrenAtWork: census.childrenAtWork,
    waitersOf(id) {
      const node = nodes.get(id);
      if (node === undefined || node.isEnded) return [];
      const parent = node.detached === true ? undefined : nodes.get(node.parentId ?? "");
      const waiters = [...node.dependents, ...sequences.behind(node)];
      if (parent !== undefined) waiters.push(parent);
      return waiters.filter((waiter) => nodes.get(waiter.id)?.isEnded === false);
    },
    aheadOf: (parentId, sequence) => sequences.aheadOf({ parentId, sequence }),
    add(run) {
      const node = createNode(run);
      nodes.set(node.id, node);
      census.add(node);
      names.add(node);
      sequences.add(node);
      for (const id of node.dependsOn) nodes.get(id)?.dependents.push(node);
      if (node.dependsOn.length === 0) sequences.enter(node);
    },
    remove(id) {
      const node = nodes.get(id);
      if (node === undefined) return;
      end(id);
      nodes.delete(id);
      names.remove(node);
    },
    dependenciesEnded(id) {
      const node = nodes.get(id);
      if (node === undefined) return;
      census.dependenciesEnded(node);
      sequences.enter(node);
    },
    end,
  };
}

/** Counts unfinished runs and running children, without those that wait for dependencies. */
interface Census {
  readonly unfinished: number;
  childrenAtWork(parentId: string): number;
  add(run: FamilyRun): void;
  /** Ends the wait of a run. */
  dependenciesEnded(run: FamilyRun): void;
  end(run: FamilyRun): void;
}

function createCensus(): Census {
  const waiting = new Set<string>();
  const children = new Map<string, number>();
  let unfinished = 0;
  const childrenAtWork = (parentId: string): number => children.get(parentId) ?? 0;
  const count = ({ parentId }: FamilyRun, change: 1 | -1): void => {
    if (parentId !== null) children.set(parentId, childrenAtWork(parentId) + change);
  };
  return {
    get unfinished() {
      return unfinished;
    },
    childrenAtWork,
    add(run) {
      unfinished += 1;
      if (run.dependsOn.length > 0) waiting.add(run.id);
      else count(run, 1);
    },
    dependenciesEnded(run) {
      if (waiting.delete(run.id)) count(run, 1);
    },
    end(run) {
      unfinished -= 1;
      if (!waiting.delete(run.id)) count(run, -1);
    },
  };
}

/** Keeps only the needed fields, because a family stays in memory while it runs. */
function createNode(run: FamilyRun): Node {
  const { id, parentId, agent, label, dependsOn, sequence, detached } = run;
  return {
    id,
    parentId,
    agent,
    label,
    dependsOn,
    ...omitUndefined({ sequence, detached }),
    dependents: [],
    isEnded: false,
  };
}
