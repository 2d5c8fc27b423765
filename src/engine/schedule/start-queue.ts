// Waiting runs: dependencies, sequences and slots.

import type { Registry } from "../../registry/registry.ts";
import { isTerminal, type Run, type RunSpec } from "../../run/run.ts";
import { sequenceScope } from "../../run/sequence-scope.ts";
import { settleDependencies } from "./dependencies.ts";
import type { RunEnds } from "./run-ends.ts";
import { createSequences } from "./sequences.ts";
import type { Slot, Slots } from "./slots.ts";

/** Holds runs until they may start. */
export interface StartQueue {
  /**
   * Resolves the slot of a run when its dependencies have ended, the runs that it must not overlap have left, and a slot is free.
   * A run that an earlier process had started does not wait for dependencies again. Call `leave` when the run has ended.
   *
   * @throws RunFailed (by the slot) when a dependency did not succeed.
   */
  awaitTurn(subject: { run: Run; spec: RunSpec }, signal: AbortSignal): QueueEntry;
  /** Gives precedence to the `family`'s runs that an earlier process left unfinished, whenever they continue. */
  prefer(family: readonly Run[]): void;
}

/** A run's place in the queue. */
export interface QueueEntry {
  slot: Promise<Slot>;
  /** Resolves when the dependencies have ended; `undefined` when the run waits for none. */
  dependencies: Promise<void> | undefined;
  leave: () => void;
}

/** Options of {@link createStartQueue}. */
export interface StartQueueOptions {
  registry: Registry;
  ends: RunEnds;
  slots: Slots;
  /** Returns the spec of a run that this process executes. */
  specOf: (runId: string) => RunSpec | undefined;
}

/** Creates the start queue of one process. */
export function createStartQueue(options: StartQueueOptions): StartQueue {
  const { registry, ends, slots, specOf } = options;
  const sequences = createSequences();
  /** The ids of unfinished runs of an earlier process, by the sequence key that they share. */
  const halfDone = new Map<string, Set<string>>();

  async function awaitHalfDone(key: string, signal: AbortSignal): Promise<void> {
    const before = halfDone.get(key);
    if (before === undefined) return;
    // Continued runs are already in the sequence.
    const dependsOn = [...before].filter((id) => specOf(id) === undefined);
    await settleDependencies(ends, { dependsOn, onDependencyError: "run" }, signal);
    for (const id of dependsOn) before.delete(id);
  }

  async function awaitDependencies(spec: RunSpec, signal: AbortSignal): Promise<void> {
    await settleDependencies(ends, spec, signal, (gone) => {
      registry.append(spec.id, { type: "warning-raised", message: describeGone(gone) });
    });
    const run = await registry.run(spec.id);
    if (run?.status === "waiting") registry.append(spec.id, { type: "dependencies-settled" });
  }

  return {
    prefer(family) {
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
        return {
          slot: slots.acquire(signal),
          dependencies: undefined,
          leave: () => undefined,
        };
      }
      const dependencies =
        dependsOn.length > 0 && !isHalfDone ? awaitDependencies(spec, signal) : undefined;
      let leave = (): void => undefined;
      const queue = async (): Promise<Slot> => {
        await dependencies;
        if (sequence !== undefined) {
          const key = keyOf(spec, specOf);
          if (!isHalfDone) await awaitHalfDone(key, signal);
          leave = await sequences.enter(key, signal);
        }
        return await slots.acquire(signal);
      };
      return { slot: queue(), dependencies, leave: () => leave() };
    },
  };
}

function describeGone({ id, agent, rootId }: Run): string {
  return `It waits for run ${id} (${agent}), whose process is gone: \`cadre resume ${rootId}\` continues that one.`;
}

type Placed = Pick<RunSpec, "rootId" | "sequence" | "parentId" | "detached">;

/** Returns a key. Runs with the same key must not overlap. */
function keyOf(run: Placed, get: (id: string) => Placed | undefined): string {
  return JSON.stringify([run.rootId, sequenceScope(run, get), run.sequence]);
}
