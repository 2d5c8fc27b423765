import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { toResultMessage } from "./background-result.ts";
import { conduct, type ConductOptions, runEnded, type Subject } from "./conduct.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { endOrphans } from "./orphans.ts";
import type { RunBudget } from "./budget/run-budget.ts";
import { createSlots } from "./slots.ts";
import { createStop, type Stop } from "./stop.ts";
import { createWaitingRoom } from "./waiting-room.ts";

/** What {@link createExecutions} needs. */
export interface ExecutionsOptions extends ConductOptions {
  registry: Registry;
  clock: Clock;
  /** Told when no run of a family is at work any more. */
  onFamilyIdle?: (rootId: string) => void;
  /** Runs at work at once. */
  concurrency: number;
  /** Rejects with a CadreError when a run of an earlier process cannot go on here and now, but might elsewhere or later. */
  checkResumable?: (spec: RunSpec) => Promise<void>;
}

/** A run that this process executes. */
export interface Execution {
  spec: RunSpec;
  inbox: Inbox;
  budget: RunBudget;
  ended: Promise<RunResult>;
  /** It was stopped or has come to its end, which is not in the journal before this is so. */
  readonly isEnding: boolean;
  /** Ends it and its descendants; resolves when they ended, with how it did. */
  halt(stop: Stop): Promise<RunResult>;
}

/** The runs that this process executes. */
export interface Executions {
  get(runId: string): Execution | undefined;
  all(): Execution[];
  /** Begins to execute a run that is in the registry and belongs to this process. */
  begin(subject: Subject, budget: RunBudget): void;
}

interface Node extends Execution {
  children: Set<Node>;
  stop: AbortController;
}

/** Executes runs and keeps track of them: who is whose child, who waits for whom, and what a family shares. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const { registry } = options;
  const slots = createSlots(options.concurrency);
  const nodes = new Map<string, Node>();
  const families = createFamilies();
  const specOf = (runId: string): RunSpec | undefined => nodes.get(runId)?.spec;
  const parentOf = ({ parentId }: Pick<RunSpec, "parentId">): Node | undefined =>
    parentId === null ? undefined : nodes.get(parentId);
  const waitingRoom = createWaitingRoom({ registry, slots, specOf });

  async function execute(
    subject: Subject,
    parts: Pick<Node, "stop" | "children" | "inbox" | "budget">,
  ): Promise<RunResult> {
    const { run, spec } = subject;
    const granted = families.enter(run.rootId);
    const turn = waitingRoom.awaitTurn(spec, parts.stop.signal);
    try {
      return await conduct(options, subject, {
        ...parts,
        slot: turn.slot,
        granted,
        async stopChildren(isStopped) {
          const isWithin = (child: { detached?: boolean }): boolean =>
            isStopped || child.detached !== true;
          if (parts.children.size > 0) await haltChildren(spec, parts.children, isWithin);
          const isLost = (child: Run): boolean => !nodes.has(child.id) && isWithin(child);
          // Only a run that was resumed can have children that no execution knows of.
          if (run.lastSeq > 1) await endOrphans(options, run, isLost);
        },
      });
    } finally {
      turn.leave();
      parts.budget.close();
      if (families.leave(run.rootId)) options.onFamilyIdle?.(run.rootId);
    }
  }

  return {
    get: (runId) => nodes.get(runId),
    all: () => [...nodes.values()],
    begin(subject, budget) {
      const { run, spec } = subject;
      const parent = parentOf(spec);
      const parts = {
        stop: new AbortController(),
        children: new Set<Node>(),
        inbox: createInbox(registry, run.id),
        budget,
      };
      const ended = execute(subject, parts).finally(() => {
        nodes.delete(run.id);
        parent?.children.delete(node);
      });
      // Whoever waits sees a failure of the registry; nobody has to.
      ended.catch(() => undefined);
      const node = createNode({ ...parts, spec, ended });
      nodes.set(run.id, node);
      join(node, parent);
    },
  };
}

async function haltChildren(
  { agent, id }: RunSpec,
  children: ReadonlySet<Node>,
  isWithin: (child: RunSpec) => boolean,
): Promise<void> {
  const reason = parentEnded(agent, id);
  const within = [...children].filter((child) => isWithin(child.spec));
  await Promise.all(within.map((child) => child.halt(reason)));
}

function join(node: Node, parent: Node | undefined): void {
  const { spec, stop } = node;
  if (spec.background === true && parent !== undefined) report(node, parent);
  parent?.children.add(node);
  // Its parent may have been stopped, or may even have ended, while this run was being recorded.
  if (!isWanted(spec, parent)) stop.abort(parentEnded(spec.chain.at(-2), spec.parentId));
}

/** What the runs of a family share as long as one of them is at work: see `Session.granted`. */
function createFamilies(): {
  enter(rootId: string): Set<string>;
  /** Whether that was the last one. */
  leave(rootId: string): boolean;
} {
  const families = new Map<string, { granted: Set<string>; atWork: number }>();
  return {
    enter(rootId) {
      const family = families.get(rootId) ?? { granted: new Set(), atWork: 0 };
      families.set(rootId, family);
      family.atWork += 1;
      return family.granted;
    },
    leave(rootId) {
      const family = families.get(rootId);
      if (family === undefined) return false;
      family.atWork -= 1;
      return family.atWork === 0 && families.delete(rootId);
    },
  };
}

function isWanted(spec: RunSpec, parent: Node | undefined): boolean {
  const reason: unknown = parent?.stop.signal.reason;
  if (spec.detached === true) return reason === undefined || reason === runEnded;
  return spec.parentId === null || (parent !== undefined && reason === undefined);
}

/** Lets `parent` know how a run in the background ends; it is held for those it is responsible for. */
function report({ spec, ended }: Node, parent: Node): void {
  if (spec.detached !== true) parent.inbox.expect(spec.id);
  // A result that could not be recorded is nobody's: the parent fails of the same registry.
  const arrive = (result: RunResult): void => parent.inbox.arrive(toResultMessage(spec, result));
  ended.then(arrive, () => undefined);
}

function createNode(parts: Omit<Node, "halt" | "isEnding">): Node {
  const { spec, stop, children, ended } = parts;
  // At once and not when it has ended: it may be waiting for just these.
  stop.signal.addEventListener("abort", () => {
    const hasEnded = stop.signal.reason === runEnded;
    for (const child of children) {
      if (hasEnded && child.spec.detached === true) continue;
      child.stop.abort(parentEnded(spec.agent, spec.id));
    }
  });
  return {
    ...parts,
    get isEnding() {
      return stop.signal.aborted;
    },
    async halt(reason) {
      stop.abort(reason);
      return await ended;
    },
  };
}

function parentEnded(agent: string | undefined, id: string | null): Stop {
  return cancelled(`Its parent ${agent} (${id}) ended.`);
}

/** The reason to end a run that nobody wants any more. */
export function cancelled(message: string): Stop {
  return createStop("cancelled", { code: "cancelled", message });
}
