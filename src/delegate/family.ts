import type { Member } from "./member.ts";
import { createMemberNames, type MemberNames } from "./member-names.ts";
import { createSequenceOrder } from "./sequence-order.ts";

/** The runs of a family: how many, who is called what, and who waits for whom. */
export interface Family extends Pick<MemberNames<Member>, "labels" | "labelled" | "short"> {
  /** All there ever were, the root included. */
  readonly runs: number;
  readonly isAtWork: boolean;
  get(id: string): Member | undefined;
  /** Those that only wait for what they depend on are not at work. */
  childrenAtWork(parentId: string): number;
  /** The runs at work that cannot end, or not begin, before this one has ended. */
  waitersOf(id: string): Member[];
  /** The runs at work that a new child of `parentId` in `sequence` would have to wait for. */
  aheadOf(parentId: string, sequence: string): Member[];
  add(member: Member): void;
  /** Takes back a run that was not created after all. */
  remove(id: string): void;
  /** What it depended on has ended. */
  settle(id: string): void;
  end(id: string): void;
}

interface Node extends Member {
  dependents: Node[];
  /** It waits for what it depends on. */
  isWaiting: boolean;
  isEnded: boolean;
}

/** An empty family. However large it grows, every operation costs no more than what it returns. */
export function createFamily(): Family {
  const nodes = new Map<string, Node>();
  const names = createMemberNames<Node>();
  const sequences = createSequenceOrder((id) => nodes.get(id));
  const atWork = createChildCounts();
  let unfinished = 0;

  function end(id: string): void {
    const node = nodes.get(id);
    if (node === undefined || node.isEnded) return;
    node.isEnded = true;
    unfinished -= 1;
    if (!node.isWaiting) atWork.add(node, -1);
    sequences.leave(node);
  }

  return {
    get runs() {
      return nodes.size;
    },
    get isAtWork() {
      return unfinished > 0;
    },
    get labels() {
      return names.labels;
    },
    labelled: names.labelled,
    short: names.short,
    get: (id) => nodes.get(id),
    childrenAtWork: atWork.of,
    waitersOf(id) {
      const node = nodes.get(id);
      if (node === undefined || node.isEnded) return [];
      const parent = node.detached === true ? undefined : nodes.get(node.parentId ?? "");
      const waiters = [...node.dependents, ...sequences.behind(node)];
      if (parent !== undefined) waiters.push(parent);
      return waiters.filter((waiter) => nodes.get(waiter.id)?.isEnded === false);
    },
    aheadOf: (parentId, sequence) => sequences.aheadOf({ parentId, sequence }),
    add(member) {
      const node = createNode(member);
      nodes.set(node.id, node);
      unfinished += 1;
      if (!node.isWaiting) atWork.add(node, 1);
      names.add(node);
      sequences.add(node);
      for (const id of node.dependsOn) nodes.get(id)?.dependents.push(node);
      if (!node.isWaiting) sequences.enter(node);
    },
    remove(id) {
      const node = nodes.get(id);
      if (node === undefined) return;
      end(id);
      nodes.delete(id);
      names.remove(node);
    },
    settle(id) {
      const node = nodes.get(id);
      if (node === undefined) return;
      if (node.isWaiting && !node.isEnded) atWork.add(node, 1);
      node.isWaiting = false;
      sequences.enter(node);
    },
    end,
  };
}

/** How many children each run has. */
function createChildCounts(): {
  of(parentId: string): number;
  add(child: Member, change: 1 | -1): void;
} {
  const counts = new Map<string, number>();
  const of = (parentId: string): number => counts.get(parentId) ?? 0;
  return {
    of,
    add({ parentId }, change) {
      if (parentId !== null) counts.set(parentId, of(parentId) + change);
    },
  };
}

/** Only what is needed: a family is kept in memory as long as it is at work. */
function createNode(member: Member): Node {
  const { id, parentId, agent, label, dependsOn, sequence, detached } = member;
  return {
    id,
    parentId,
    agent,
    label,
    dependsOn,
    ...(sequence !== undefined && { sequence }),
    ...(detached !== undefined && { detached }),
    dependents: [],
    isWaiting: dependsOn.length > 0,
    isEnded: false,
  };
}
