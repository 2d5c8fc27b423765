import type { RunEvent } from "../../run/event.ts";
import { isTerminal, type Run } from "../../run/run.ts";

/** The unfinished runs that this process owns, in their state after the last appended event, durable or not. */
export interface LiveRuns {
  get: (runId: string) => Run | undefined;
  /**
   * Returns the runs of a family, in order of creation, when all of them are here: this process created or adopted them, and none
   * has ended.
   */
  family: (rootId: string) => Run[] | undefined;
  /**
   * Reports whether the run certainly has no children: this process created it or was the first to execute it, and created no
   * child.
   */
  isChildless: (runId: string) => boolean;
  /** Reports whether this step of the run certainly created no child: this process created all children of the run. */
  hasNoChild: (runId: string, parentStep: string) => boolean;
  /** Records an event with the resulting state of its run. */
  update(event: RunEvent, run: Run): void;
  /** Adds the unfinished runs of a family that had another owner. Takes all its runs, in order of creation. */
  adopt(family: readonly Run[]): void;
  /** Removes a run whose end is durable. */
  forget(runId: string): void;
  /** Removes the runs of a family that this process gave to another one. */
  forgetFamily(rootId: string): void;
}

/** Creates an empty set of live runs. */
export function createLiveRuns(): LiveRuns {
  const live = new Map<string, Run>();
  /** The runs all of whose children this process created. */
  const created = new Set<string>();
  /** The steps in which a run created children. Most runs create none. */
  const steps = new Map<string, Set<string>>();
  /** The ids of the families whose runs are all here. */
  const families = new Map<string, string[]>();
  const forget = (runId: string): void => {
    const rootId = live.get(runId)?.rootId;
    if (rootId !== undefined) families.delete(rootId);
    live.delete(runId);
    created.delete(runId);
    steps.delete(runId);
  };
  return {
    get: (runId) => live.get(runId),
    family: (rootId) => families.get(rootId)?.flatMap((id) => live.get(id) ?? []),
    isChildless: (runId) => created.has(runId) && !steps.has(runId),
    hasNoChild: (runId, parentStep) =>
      created.has(runId) && steps.get(runId)?.has(parentStep) !== true,
    update({ type, runId }, run) {
      live.set(runId, run);
      if (type !== "run-created") return;
      created.add(runId);
      if (runId === run.rootId) families.set(runId, [runId]);
      else families.get(run.rootId)?.push(runId);
      const { parentId, parentStep } = run;
      if (parentId === null || !created.has(parentId)) return;
      const siblings = steps.get(parentId) ?? new Set();
      steps.set(parentId, siblings.add(parentStep ?? ""));
    },
    adopt(family) {
      const [root] = family;
      const isWhole = family.every(({ status }) => !isTerminal(status));
      // A family that is already here may have runs that are not durable yet.
      if (root !== undefined && isWhole && !families.has(root.rootId)) {
        families.set(
          root.rootId,
          family.map(({ id }) => id),
        );
      }
      for (const run of family) {
        if (isTerminal(run.status) || live.has(run.id)) continue;
        live.set(run.id, run);
        // Only its creation is recorded, so no process has executed it and it has no children.
        if (run.lastSeq === 1) created.add(run.id);
      }
    },
    forget,
    forgetFamily(rootId) {
      for (const run of live.values()) if (run.rootId === rootId) forget(run.id);
    },
  };
}
