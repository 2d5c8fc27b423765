import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { toResultMessage } from "./background-result.ts";
import { conduct, type ConductOptions, type Subject } from "./conduct.ts";
import type { AdmitRun } from "./recorded/recorded-run.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { endOrphans } from "./orphans.ts";
import type { RunBudget } from "./budget/run-budget.ts";
import { createSlots } from "./slots.ts";
import { createStop, endsDetached, type Stop } from "./stop.ts";
import { createWaitingRoom } from "./waiting-room.ts";

/** What {@link createExecutions} needs. */
export interface ExecutionsOptions extends ConductOptions {
  registry: Registry;
  clock: Clock;
  /** Told when no run of a family is at work any more. */
  onFamilyIdle?: (rootId: string) => void;
  /** Runs at work at once. */
  concurrency: number;
  /** Asked about every run that is read from the registry to be executed. */
  admit: AdmitRun;
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
  /** Whether this process executes the run, or is just creating it. */
  has(runId: string): boolean;
  /** Says that this process creates the run, until the returned function is called. */
  announce(runId: string): () => void;
  /** Resolves when a run that this process is just creating has begun, at once for any other. */
  begun(runId: string): Promise<void>;
  all(): Execution[];
  /** Begins to execute a run that is in the registry and belongs to this process. */
  begin(subject: Subject, budget: RunBudget): void;
  /** See `WaitingRoom.letGoFirst`. */
  letGoFirst(family: readonly Run[]): void;
}

interface Node extends Execution {
  /** The nearest ancestor at work, which ends it when it is stopped itself. */
  guardian: Node | undefined;
  /** Those below it that are at work: its children, and detached runs whose own parents have ended. */
  wards: Set<Node>;
  stop: AbortController;
}

/** Executes runs and keeps track of them: who is below whom, who waits for whom, and what a family shares. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const { registry } = options;
  const { failed } = registry;
  const slots = createSlots(options.concurrency);
  const nodes = new Map<string, Node>();
  const creations = createCreations();
  const families = createFamilies();
  const specOf = (runId: string): RunSpec | undefined => nodes.get(runId)?.spec;
  const waitingRoom = createWaitingRoom({ registry, clock: options.clock, slots, specOf });

  // The one place that ends every wait of every run: all of them end with the signal of their run.
  const endAll = (): void => nodes.forEach(({ stop }) => stop.abort(failed.reason));
  failed.addEventListener("abort", endAll, { once: true });

  async function execute(
    subject: Subject,
    parts: Pick<Node, "stop" | "wards" | "inbox" | "budget">,
  ): Promise<RunResult> {
    const { run, spec } = subject;
    const granted = families.enter(run.rootId);
    const turn = waitingRoom.awaitTurn(subject, parts.stop.signal);
    try {
      return await conduct(options, subject, {
        ...parts,
        slot: turn.slot,
        granted,
        async stopChildren({ withDetached }) {
          await haltWards(spec, parts.wards, withDetached);
          const isLost = ({ id, detached }: Run): boolean =>
            !nodes.has(id) && !creations.has(id) && (withDetached || detached !== true);
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
    ...creations,
    get: (runId) => nodes.get(runId),
    has: (runId) => nodes.has(runId) || creations.has(runId),
    all: () => [...nodes.values()],
    letGoFirst: waitingRoom.letGoFirst,
    begin(subject, budget) {
      const { run, spec, guardian } = subject;
      const parent = nodes.get(spec.parentId ?? "");
      const [stop, wards] = [new AbortController(), new Set<Node>()];
      const parts = { stop, wards, inbox: createInbox(registry, run.id), budget };
      const ended = execute(subject, parts).finally(() => {
        nodes.delete(run.id);
        leave(node);
      });
      // This run has no end in the journal. Whatever the reason, nobody must go on waiting for one.
      ended.catch((error: unknown) => registry.fail(error));
      const node = createNode({ ...parts, spec, ended });
      nodes.set(run.id, node);
      if (failed.aborted) node.stop.abort(failed.reason);
      if (spec.background === true && parent !== undefined) report(node, parent);
      join(node, parent ?? nodes.get(guardian ?? ""));
    },
  };
}

/** The runs that this process is just creating. */
function createCreations(): Pick<Executions, "has" | "announce" | "begun"> {
  const creating = new Map<string, PromiseWithResolvers<void>>();
  return {
    has: (runId) => creating.has(runId),
    announce(runId) {
      const created = Promise.withResolvers<void>();
      creating.set(runId, created);
      return () => {
        creating.delete(runId);
        created.resolve();
      };
    },
    begun: async (runId) => await creating.get(runId)?.promise,
  };
}

/** Ends those that a run is the guardian of, and those that these leave to it. */
async function haltWards(
  { agent, id }: RunSpec,
  wards: ReadonlySet<Node>,
  withDetached: boolean,
): Promise<void> {
  const reason = parentEnded(agent, id, { keepDetached: !withDetached });
  for (;;) {
    const meant = [...wards].filter(({ spec }) => withDetached || spec.detached !== true);
    if (meant.length === 0) return;
    await Promise.all(meant.map((ward) => ward.halt(reason)));
  }
}

function join(node: Node, guardian: Node | undefined): void {
  const { spec, stop } = node;
  node.guardian = guardian;
  guardian?.wards.add(node);
  // It may have been stopped, or may even have ended, while this run was being recorded.
  if (!isWanted(spec, guardian)) stop.abort(parentEnded(spec.chain.at(-2), spec.parentId));
}

/** Those who outlive a run belong to its guardian from now on. */
function leave(node: Node): void {
  const { guardian, wards } = node;
  guardian?.wards.delete(node);
  for (const ward of wards) {
    ward.guardian = guardian;
    guardian?.wards.add(ward);
  }
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

function isWanted(spec: RunSpec, guardian: Node | undefined): boolean {
  const signal = guardian?.stop.signal;
  if (spec.detached === true) return signal === undefined || !endsDetached(signal);
  return spec.parentId === null || signal?.aborted === false;
}

/** Lets `parent` know how a run in the background ends; it is held for those it is responsible for. */
function report({ spec, ended }: Node, parent: Node): void {
  if (spec.detached !== true) parent.inbox.expect(spec.id);
  const arrive = (result: RunResult): void => parent.inbox.arrive(toResultMessage(spec, result));
  // A run without an end fails the registry, and the parent with it.
  ended.then(arrive, () => undefined);
}

function createNode(parts: Omit<Node, "halt" | "isEnding" | "guardian">): Node {
  const { spec, stop, wards, ended } = parts;
  // At once and not when it has ended: it may be waiting for just these.
  stop.signal.addEventListener("abort", () => {
    const keepDetached = !endsDetached(stop.signal);
    for (const ward of wards) {
      if (keepDetached && ward.spec.detached === true) continue;
      ward.stop.abort(parentEnded(spec.agent, spec.id, { keepDetached }));
    }
  });
  return {
    ...parts,
    guardian: undefined,
    get isEnding() {
      return stop.signal.aborted;
    },
    async halt(reason) {
      stop.abort(reason);
      return await ended;
    },
  };
}

function parentEnded(
  agent: string | undefined,
  id: string | null,
  options: Pick<Stop, "keepDetached"> = {},
): Stop {
  return cancelled(`Its parent ${agent} (${id}) ended.`, options);
}

/** The reason to end a run that nobody wants any more. */
export function cancelled(message: string, options: Pick<Stop, "keepDetached"> = {}): Stop {
  return createStop("cancelled", { code: "cancelled", message }, options);
}
