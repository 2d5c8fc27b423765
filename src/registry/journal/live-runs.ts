import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run } from "../../run/run.ts";

/** The unfinished runs that this process owns, in their state after the last appended event, durable or not. */
export interface LiveRuns {
  get: (runId: string) => Run | undefined;
  /** Reports whether the run certainly has no children: this process created it, or was the first to execute it, and created no child. */
  isChildless: (runId: string) => boolean;
  /** Reports whether this step of the run certainly created no child: this process created all children of the run. */
  hasNoChild: (runId: string, parentStep: string) => boolean;
  /** Records an event with the resulting state of its run. */
  update(event: RunEvent, run: Run): void;
  /** Adds runs of an earlier owner. */
  adopt(runs: readonly Run[]): void;
  /** Removes a run whose end is durable. */
  forget(runId: string): void;
  /** Removes the runs of a family that this process gave to another. */
  forgetFamily(rootId: string): void;
}

/** Creates an empty set of live runs. */
export function createLiveRuns(): LiveRuns {
  const live = new Map<string, Run>();
  /** The runs whose children this process created, all of them. */
  const created = new Set<string>();
  /** The steps in which a run created children. Most runs create none. */
  const steps = new Map<string, Set<string>>();
  const forget = (runId: string): void => {
    live.delete(runId);
    created.delete(runId);
    steps.delete(runId);
  };
  return {
    get: (runId) => live.get(runId),
    isChildless: (runId) => created.has(runId) && !steps.has(runId),
    hasNoChild: (runId, parentStep) =>
      created.has(runId) && steps.get(runId)?.has(parentStep) !== true,
    update({ type, runId }, run) {
      live.set(runId, run);
      if (type !== "run-created") return;
      created.add(runId);
      const { parentId, parentStep } = run;
      if (parentId === null || !created.has(parentId)) return;
      const siblings = steps.get(parentId) ?? new Set();
      steps.set(parentId, siblings.add(parentStep ?? ""));
    },
    adopt(runs) {
      for (const run of runs) {
        if (isTerminal(run.status) || live.has(run.id)) continue;
        live.set(run.id, run);
        // Nothing but its creation is recorded, so nobody has executed it: it has no children.
        if (run.lastSeq === 1) created.add(run.id);
      }
    },
    forget,
    forgetFamily(rootId) {
      for (const run of live.values()) if (run.rootId === rootId) forget(run.id);
    },
  };
}
