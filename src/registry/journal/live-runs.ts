import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run } from "../../run/run.ts";

/** The unfinished runs that this process owns, in their state after the last appended event, durable or not. */
export interface LiveRuns {
  get: (runId: string) => Run | undefined;
  /** Reports whether the run certainly has no children: this process created it, and no child so far. */
  isChildless: (runId: string) => boolean;
  /** Records an event with the resulting state of its run. */
  update(event: RunEvent, run: Run): void;
  /** Adds runs of an earlier owner. */
  adopt(runs: readonly Run[]): void;
  /** Removes a run whose end is durable. */
  forget(runId: string): void;
}

/** Creates an empty set of live runs. */
export function createLiveRuns(): LiveRuns {
  const live = new Map<string, Run>();
  const childless = new Set<string>();
  return {
    get: (runId) => live.get(runId),
    isChildless: (runId) => childless.has(runId),
    update({ type, runId }, run) {
      live.set(runId, run);
      if (type !== "run-created") return;
      childless.add(runId);
      if (run.parentId !== null) childless.delete(run.parentId);
    },
    adopt(runs) {
      for (const run of runs) {
        if (!isTerminal(run.status) && !live.has(run.id)) live.set(run.id, run);
      }
    },
    forget(runId) {
      live.delete(runId);
      childless.delete(runId);
    },
  };
}
