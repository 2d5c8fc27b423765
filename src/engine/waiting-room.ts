import type { Clock } from "../clock.ts";
import type { Registry } from "../registry/registry.ts";
import { isTerminal, type Run, type RunSpec } from "../run/run.ts";
import { sequenceScope } from "../run/sequence-scope.ts";
import { createDependencies } from "./dependencies.ts";
import { createSequences } from "./sequences.ts";
import type { Slot, Slots } from "./slots.ts";

/** Where runs wait until they may begin. */
export interface WaitingRoom {
  /**
   * The slot of a run, once what it depends on has ended, those it must not overlap have left, and one is free. One that an
   * earlier process had begun has waited for the first already. `leave` says that the run has ended.
   *
   * @throws RunFailed (by the slot) when what it depends on did not succeed.
   */
  awaitTurn(subject: { run: Run; spec: RunSpec }, signal: AbortSignal): Turn;
  /** Lets the runs of a `family` go first that an earlier process left half done, whenever they are taken up. */
  letGoFirst(family: readonly Run[]): void;
}

/** A run's place in the waiting room. */
export interface Turn {
  slot: Promise<Slot>;
  leave: () => void;
}

/** What {@link createWaitingRoom} needs. */
export interface WaitingRoomOptions {
  registry: Registry;
  clock: Clock;
  slots: Slots;
  /** The spec of a run that this process executes. */
  specOf: (runId: string) => RunSpec | undefined;
}

/** The waiting room of one process. */
export function createWaitingRoom(options: WaitingRoomOptions): WaitingRoom {
  const { registry, clock, slots, specOf } = options;
  const isExecuting = (runId: string): boolean => specOf(runId) !== undefined;
  const dependencies = createDependencies({ registry, clock, isExecuting });
  const sequences = createSequences();
  /** The ids of runs that an earlier process left half done, by what they must not overlap with. */
  const halfDone = new Map<string, Set<string>>();

  async function awaitHalfDone(key: string, signal: AbortSignal): Promise<void> {
    const before = halfDone.get(key);
    if (before === undefined) return;
    // Those that were taken up are in the sequence already.
    const dependsOn = [...before].filter((id) => !isExecuting(id));
    await dependencies.settle({ dependsOn, onDependencyError: "run" }, signal);
    for (const id of dependsOn) before.delete(id);
  }

  async function awaitDependencies(spec: RunSpec, signal: AbortSignal): Promise<void> {
    await dependencies.settle(spec, signal, (gone) => {
      registry.append(spec.id, { type: "warning-raised", message: describeGone(gone) });
    });
    const run = await registry.run(spec.id);
    if (run?.status === "waiting") registry.append(spec.id, { type: "dependencies-settled" });
  }

  return {
    letGoFirst(family) {
      const members = new Map(family.map((run) => [run.id, run]));
      for (const run of family) {
        if (run.sequence === undefined || run.startedAt === null || isTerminal(run.status))
          continue;
        const key = keyOf(run, (id) => members.get(id));
        halfDone.set(key, (halfDone.get(key) ?? new Set()).add(run.id));
      }
    },
    awaitTurn({ run, spec }, signal) {
      const { dependsOn, sequence } = spec;
      const isHalfDone = run.startedAt !== null;
      if (dependsOn.length === 0 && sequence === undefined) {
        return { slot: slots.acquire(signal), leave: () => undefined };
      }
      let leave = (): void => undefined;
      const queue = async (): Promise<Slot> => {
        if (dependsOn.length > 0 && !isHalfDone) await awaitDependencies(spec, signal);
        if (sequence !== undefined) {
          const key = keyOf(spec, specOf);
          if (!isHalfDone) await awaitHalfDone(key, signal);
          leave = await sequences.enter(key, signal);
        }
        return await slots.acquire(signal);
      };
      return { slot: queue(), leave: () => leave() };
    },
  };
}

function describeGone({ id, agent, rootId }: Run): string {
  return `It waits for run ${id} (${agent}), whose process is gone: \`cadre resume ${rootId}\` continues that one.`;
}

type Placed = Pick<RunSpec, "rootId" | "sequence" | "parentId" | "detached">;

/** Runs with the same one must not overlap. */
function keyOf(run: Placed, get: (id: string) => Placed | undefined): string {
  return JSON.stringify([run.rootId, sequenceScope(run, get), run.sequence]);
}
