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
  isEnded: boolean;
}

/** An empty family. However large it grows, every operation costs no more than what it returns. */
export function createFamily(): Family {
  const nodes = new Map<string, Node>();
  const names = createMemberNames<Node>();
  const sequences = createSequenceOrder((id) => nodes.get(id));
  const census = createCensus();

  function end(id: string): void {
    const node = nodes.get(id);
    if (node === undefined || node.isEnded) return;
    node.isEnded = true;
    census.end(node);
    sequences.leave(node);
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
    short: names.short,
    get: (id) => nodes.get(id),
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
    add(member) {
      const node = createNode(member);
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
    settle(id) {
      const node = nodes.get(id);
      if (node === undefined) return;
      census.settle(node);
      sequences.enter(node);
    },
    end,
  };
}

/** How many have not ended, and how many of whose children are at work: those that wait for what they depend on are not. */
interface Census {
  readonly unfinished: number;
  childrenAtWork(parentId: string): number;
  add(member: Member): void;
  /** It waits no longer. */
  settle(member: Member): void;
  end(member: Member): void;
}

function createCensus(): Census {
  const waiting = new Set<string>();
  const children = new Map<string, number>();
  let unfinished = 0;
  const childrenAtWork = (parentId: string): number => children.get(parentId) ?? 0;
  const count = ({ parentId }: Member, change: 1 | -1): void => {
    if (parentId !== null) children.set(parentId, childrenAtWork(parentId) + change);
  };
  return {
    get unfinished() {
      return unfinished;
    },
    childrenAtWork,
    add(member) {
      unfinished += 1;
      if (member.dependsOn.length > 0) waiting.add(member.id);
      else count(member, 1);
    },
    settle(member) {
      if (waiting.delete(member.id)) count(member, 1);
    },
    end(member) {
      unfinished -= 1;
      if (!waiting.delete(member.id)) count(member, -1);
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
    isEnded: false,
  };
}
