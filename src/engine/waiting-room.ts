import type { Registry } from "../registry/registry.ts";
import type { RunSpec } from "../run/run.ts";
import { sequenceScope } from "../run/sequence-scope.ts";
import { createDependencies } from "./dependencies.ts";
import { createSequences } from "./sequences.ts";
import type { Slot, Slots } from "./slots.ts";

/** Where runs wait until they may begin. */
export interface WaitingRoom {
  /**
   * The slot of a run, once what it depends on has ended, those it must not overlap have left, and one is free. `leave` says
   * that the run has ended.
   *
   * @throws RunFailed (by the slot) when what it depends on did not succeed.
   */
  awaitTurn(spec: RunSpec, signal: AbortSignal): Turn;
}

/** A run's place in the waiting room. */
export interface Turn {
  slot: Promise<Slot>;
  leave: () => void;
}

/** What {@link createWaitingRoom} needs. */
export interface WaitingRoomOptions {
  registry: Registry;
  slots: Slots;
  /** The spec of a run that this process executes. */
  specOf: (runId: string) => RunSpec | undefined;
}

/** The waiting room of one process. */
export function createWaitingRoom({ registry, slots, specOf }: WaitingRoomOptions): WaitingRoom {
  const isExecuting = (runId: string): boolean => specOf(runId) !== undefined;
  const dependencies = createDependencies({ registry, isExecuting });
  const sequences = createSequences();

  async function awaitDependencies(spec: RunSpec, signal: AbortSignal): Promise<void> {
    await dependencies.settle(spec, signal);
    const run = await registry.run(spec.id);
    if (run?.status === "waiting") registry.append(spec.id, { type: "dependencies-settled" });
  }

  return {
    awaitTurn(spec, signal) {
      const { dependsOn, sequence } = spec;
      if (dependsOn.length === 0 && sequence === undefined) {
        return { slot: slots.acquire(signal), leave: () => undefined };
      }
      let leave = (): void => undefined;
      const queue = async (): Promise<Slot> => {
        if (dependsOn.length > 0) await awaitDependencies(spec, signal);
        if (sequence !== undefined) {
          const scope = JSON.stringify([spec.rootId, sequenceScope(spec, specOf), sequence]);
          leave = await sequences.enter(scope, signal);
        }
        return await slots.acquire(signal);
      };
      return { slot: queue(), leave: () => leave() };
    },
  };
}
