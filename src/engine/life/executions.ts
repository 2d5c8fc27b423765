import type { Clock } from "../../clock.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RecordedResult } from "../../run/result.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { onSettled } from "../../on-settled.ts";
import { toResultMessage } from "./background-result.ts";
import { conduct, type ConductOptions, type Raises, type RunToExecute } from "./conduct.ts";
import type { AdmitRun } from "./recorded-run.ts";
import { type AnswerBox, createAnswerBox } from "../run-context/answer-box.ts";
import { createInbox, type Inbox } from "../run-context/inbox.ts";
import { endOrphans } from "./orphans.ts";
import type { RunBudget } from "../budget/run-budget.ts";
import { createRunEnds, type RunEnds } from "../schedule/run-ends.ts";
import { createSlots } from "../schedule/slots.ts";
import { createStop, endsDetached, type Stop } from "../run-context/stop.ts";
import { createStartQueue } from "../schedule/start-queue.ts";

/** Options of {@link createExecutions}. */
export interface ExecutionsOptions extends ConductOptions {
  registry: Registry;
  clock: Clock;
  /** Called when the last running run of a family has ended. */
  onFamilyIdle?: (rootId: string) => void;
  /** How many runs execute at once. */
  concurrency: number;
  /** `false`: created runs wait until another process resumes them. Default true. */
  executes?: boolean | undefined;
  /** Admits each run that is read from the registry before it is executed. */
  admit: AdmitRun;
}

/** A run that this process executes. */
export interface Execution {
  spec: RunSpec;
  inbox: Inbox;
  answers: AnswerBox;
  budget: RunBudget;
  raises: Raises;
  ended: Promise<RecordedResult>;
  /** Reports whether the run was stopped or has ended. The journal shows this later. */
  isEnding(): boolean;
  /** Ends the run and its descendants. Resolves with its result when all have ended. */
  halt(stop: Stop): Promise<RecordedResult>;
}

/** The runs that this process executes. */
export interface Executions {
  get(runId: string): Execution | undefined;
  /** Reports whether this process executes or is creating the run. */
  has(runId: string): boolean;
  /** Marks the run as being created by this process until the returned function is called. */
  announce(runId: string): () => void;
  /** Resolves when a run that this process is creating has started; at once for other runs. */
  begun(runId: string): Promise<void>;
  all(): Execution[];
  /** The ends of runs, including those of other processes. */
  ends: RunEnds;
  /** Starts to execute a run that is in the registry and belongs to this process. */
  begin(subject: RunToExecute, budget: RunBudget): void;
  /** See `StartQueue.prefer`. */
  prefer(family: readonly Run[]): void;
}

interface Node extends Execution {
  /** The nearest running ancestor. When it stops, this run stops. */
  activeParent: Node | undefined;
  /** The running runs it must stop: its children, and detached runs whose parents have ended. */
  activeChildren: Set<Node>;
  stop: AbortController;
}

type NodeParts = Pick<Node, "stop" | "activeChildren" | "inbox" | "answers" | "budget" | "raises">;

function createParts(registry: Registry, { id }: Pick<Run, "id">, budget: RunBudget): NodeParts {
  const [stop, activeChildren] = [new AbortController(), new Set<Node>()];
  return {
    stop,
    activeChildren,
    inbox: createInbox(registry, id),
    answers: createAnswerBox(),
    budget,
    raises: {},
  };
}

/** Executes runs, and tracks which runs stop each other, which runs wait for each other, and what families share. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const { registry } = options;
  const nodes = new Map<string, Node>();
  const creations = createCreations();
  const families = createFamilies();
  const specOf = (runId: string): RunSpec | undefined => nodes.get(runId)?.spec;
  const ends = createRunEnds({ ...options, isExecuting: (runId) => nodes.has(runId) });
  const slots = createSlots(options.concurrency);
  const startQueue = createStartQueue({ registry, ends, slots, specOf });

  // A failed registry aborts every run, and with it every wait.
  const endAll = (): void => nodes.forEach(({ stop }) => stop.abort(registry.failed.reason));
  registry.failed.addEventListener("abort", endAll, { once: true });

  function execute(subject: RunToExecute, parts: NodeParts): Promise<RecordedResult> {
    const { run, spec } = subject;
    const turn = startQueue.awaitTurn(subject, parts.stop.signal);
    const conducting = conduct(options, subject, {
      ...parts,
      slot: turn.slot,
      dependencies: turn.dependencies,
      granted: families.enter(run.rootId),
      async stopChildren({ withDetached }) {
        await haltChildren(spec, parts.activeChildren, withDetached);
        const isLost = ({ id, detached }: Run): boolean =>
          !nodes.has(id) && !creations.has(id) && (withDetached || detached !== true);
        // Only a resumed run can have children that no execution knows.
        if (run.lastSeq > 1) await endOrphans(options, run, isLost);
      },
    });
    return onSettled(conducting, () => {
      turn.leave();
      parts.budget.close();
      if (families.leave(run.rootId)) options.onFamilyIdle?.(run.rootId);
      const node = nodes.get(run.id);
      nodes.delete(run.id);
      if (node !== undefined) passOnChildren(node);
    });
  }

  return {
    ...creations,
    get: (runId) => nodes.get(runId),
    has: (runId) => nodes.has(runId) || creations.has(runId),
    all: () => [...nodes.values()],
    ends,
    prefer: startQueue.prefer,
    begin(subject, budget) {
      const { run, spec, activeParentId } = subject;
      const parent = nodes.get(spec.parentId ?? "");
      const parts = createParts(registry, run, budget);
      const ended = execute(subject, parts);
      // Without a terminal event all waits must end, whatever the reason.
      ended.catch((error: unknown) => registry.fail(error));
      const node = createNode({ ...parts, spec, ended });
      nodes.set(run.id, node);
      if (registry.failed.aborted) node.stop.abort(registry.failed.reason);
      if (spec.background === true && parent !== undefined) report(node, parent);
      attachToParent(node, parent ?? nodes.get(activeParentId ?? ""));
    },
  };
}

/** The runs that this process is creating. */
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

/** Ends the active children of a run. Repeats, because a child that ends passes its own active children on to the run. */
async function haltChildren(
  { agent, id }: RunSpec,
  activeChildren: ReadonlySet<Node>,
  withDetached: boolean,
): Promise<void> {
  for (;;) {
    const meant = [...activeChildren].filter(({ spec }) => withDetached || spec.detached !== true);
    if (meant.length === 0) return;
    // An error is expensive to create, and most runs end without active children.
    const reason = parentEnded(agent, id, { keepDetached: !withDetached });
    await Promise.all(meant.map((child) => child.halt(reason)));
  }
}

function attachToParent(node: Node, activeParent: Node | undefined): void {
  const { spec, stop } = node;
  node.activeParent = activeParent;
  activeParent?.activeChildren.add(node);
  // The parent may have stopped or ended while this run was being recorded.
  if (!isWanted(spec, activeParent)) stop.abort(parentEnded(spec.chain.at(-2), spec.parentId));
}

/** Passes active children that outlive a run on to its active parent. */
function passOnChildren(node: Node): void {
  const { activeParent, activeChildren } = node;
  activeParent?.activeChildren.delete(node);
  for (const child of activeChildren) {
    child.activeParent = activeParent;
    activeParent?.activeChildren.add(child);
  }
}

/** Creates the index of active families. The active runs of a family share the calls that the user allowed; see `RunContext.granted`. */
function createFamilies(): {
  /** Adds a run to its family. Returns the calls that the user allowed the family. */
  enter(rootId: string): Set<string>;
  /** Removes a run from its family. Reports whether it was the last active one. */
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

function isWanted(spec: RunSpec, activeParent: Node | undefined): boolean {
  const signal = activeParent?.stop.signal;
  if (spec.detached === true) return signal === undefined || !endsDetached(signal);
  return spec.parentId === null || signal?.aborted === false;
}

/** Delivers the result of a background run to `parent`, which waits for runs that are not detached. */
function report({ spec, ended }: Node, parent: Node): void {
  if (spec.detached !== true) parent.inbox.expect(spec.id);
  const arrive = (result: RecordedResult): void =>
    parent.inbox.arrive(toResultMessage(spec, result));
  // A run that cannot end fails the registry, which ends the parent.
  ended.then(arrive, () => undefined);
}

function createNode(parts: Omit<Node, "halt" | "isEnding" | "activeParent">): Node {
  const { spec, stop, activeChildren, ended } = parts;
  // Stop them at once: the run may be waiting for them.
  stop.signal.addEventListener("abort", () => {
    const keepDetached = !endsDetached(stop.signal);
    for (const child of activeChildren) {
      if (keepDetached && child.spec.detached === true) continue;
      child.stop.abort(parentEnded(spec.agent, spec.id, { keepDetached }));
    }
  });
  return {
    ...parts,
    activeParent: undefined,
    isEnding: () => stop.signal.aborted,
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

/** Creates the reason with which a run is cancelled. */
export function cancelled(message: string, options: Pick<Stop, "keepDetached"> = {}): Stop {
  return createStop("cancelled", { code: "cancelled", message }, options);
}
