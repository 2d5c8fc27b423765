import type { AgentDefinition } from "../agent/agent.ts";
import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunResult } from "../run/result.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { conduct, type ConductOptions } from "./conduct.ts";
import { endOrphans } from "./orphans.ts";
import { createSlots } from "./slots.ts";
import { createStop, type Stop } from "./stop.ts";

/** What {@link createExecutions} needs. */
export interface ExecutionsOptions extends ConductOptions {
  registry: Registry;
  clock: Clock;
  /** Runs at work at once. */
  concurrency: number;
}

/** A run that this process executes. */
export interface Execution {
  spec: RunSpec;
  ended: Promise<RunResult>;
  /** Ends it and its descendants; resolves when they ended. */
  halt(stop: Stop): Promise<void>;
}

/** The runs that this process executes. */
export interface Executions {
  get(runId: string): Execution | undefined;
  all(): Execution[];
  /** Begins to execute a run that is in the registry and belongs to this process. */
  begin(run: Run, spec: RunSpec, definition: AgentDefinition): void;
}

interface Node extends Execution {
  children: Set<Node>;
  stop: AbortController;
}

/** Executes runs and keeps track of them: who is whose child, and what a family shares. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const slots = createSlots(options.concurrency);
  const nodes = new Map<string, Node>();
  /** See `Session.granted`; by family. */
  const grants = new Map<string, Set<string>>();

  async function execute(
    subject: { run: Run; spec: RunSpec; definition: AgentDefinition },
    stop: AbortController,
    children: Set<Node>,
  ): Promise<RunResult> {
    const { run, spec } = subject;
    const granted = grants.get(run.rootId) ?? new Set();
    grants.set(run.rootId, granted);
    const slot = slots.acquire(stop.signal);
    const isLost = (node: string): boolean => !nodes.has(node);
    try {
      return await conduct(options, subject, {
        slot,
        granted,
        stop,
        async stopChildren() {
          if (children.size > 0) {
            const reason = parentEnded(spec.agent, spec.id);
            await Promise.all([...children].map((child) => child.halt(reason)));
          }
          // Only a run that was resumed can have children that no execution knows of.
          if (run.lastSeq > 1) await endOrphans(options, run, isLost);
        },
      });
    } finally {
      if (run.parentId === null) grants.delete(run.rootId);
    }
  }

  return {
    get: (runId) => nodes.get(runId),
    all: () => [...nodes.values()],
    begin(run, spec, definition) {
      const stop = new AbortController();
      const children = new Set<Node>();
      const ended = execute({ run, spec, definition }, stop, children).finally(() => {
        nodes.delete(run.id);
        parent?.children.delete(node);
      });
      // Whoever waits sees a failure of the registry; nobody has to.
      ended.catch(() => undefined);
      const node = createNode({ spec, ended, stop, children });
      nodes.set(run.id, node);
      const parent = run.parentId === null ? undefined : nodes.get(run.parentId);
      parent?.children.add(node);
      // Its parent may have been stopped, or may even have ended, while this run was being recorded.
      const isWanted = run.parentId === null || parent?.stop.signal.aborted === false;
      if (!isWanted) stop.abort(parentEnded(spec.chain.at(-2), run.parentId));
    },
  };
}

function createNode(parts: Omit<Node, "halt">): Node {
  const { spec, stop, children, ended } = parts;
  // At once and not when it has ended: it may be waiting for just these.
  stop.signal.addEventListener("abort", () => {
    for (const child of children) child.stop.abort(parentEnded(spec.agent, spec.id));
  });
  return {
    ...parts,
    async halt(reason) {
      stop.abort(reason);
      await ended;
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
