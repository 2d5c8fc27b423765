import type { RunEventType } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import type { JournalItem } from "./journal.ts";

/**
 * The events that change a run's status. The run's row is rewritten after each of them, and at most once in `rowMs` after other
 * events. Readers apply the journal's later events to the row. So a step costs one row instead of two, and no reader applies a
 * long journal.
 */
const rowEvents: ReadonlySet<RunEventType> = new Set([
  "run-created",
  "dependencies-settled",
  "run-started",
  "approval-requested",
  "approval-answered",
  "run-finished",
]);

/** The minimum time between two writes of a row with an unchanged status, in milliseconds. */
const rowMs = 1000;

/** The rows of runs to write with a group of events, each in its state after the group. */
export interface DueRows {
  /** Runs that the group creates. */
  created: readonly Run[];
  changed: readonly Run[];
}

/** Returns a function that selects the rows of runs to write with each group. */
export function createDueRows(): (items: readonly JournalItem[]) => DueRows {
  const writtenAt = new Map<string, number>();
  return (items) => {
    const touched = new Map<string, Run>();
    const begun = new Set<string>();
    for (const item of items) {
      if ("content" in item) continue;
      const { event, run } = item;
      const { runId, type, at } = event;
      const isStale = at - (writtenAt.get(runId) ?? 0) >= rowMs;
      if (isStale || rowEvents.has(type)) touched.set(runId, run);
      if (type === "run-created") begun.add(runId);
    }
    const created: Run[] = [];
    const changed: Run[] = [];
    for (const [runId, run] of touched) {
      if (run.endedAt === null) writtenAt.set(runId, run.lastEventAt);
      else writtenAt.delete(runId);
      (begun.has(runId) ? created : changed).push(run);
    }
    return { created, changed };
  };
}

/** The columns of a run's row that every registry has and that are not fields of the run. */
export interface RunColumns {
  /** The run without its own figures, as JSON. */
  state: string;
  /** Its own figures, as JSON. */
  own: string;
  /** The run that it continues, or that it was forked or retried from. */
  madeFrom: string | null;
  /** The conversation of a root run: the id of its first run; `null` for a descendant. */
  conversation: string | null;
}

/** Returns the columns of a run's row. */
export function toColumns(run: Run): RunColumns {
  return {
    state: JSON.stringify({ ...run, own: undefined }),
    own: JSON.stringify(run.own),
    madeFrom: run.lineage?.runId ?? run.continues ?? null,
    conversation: run.parentId === null ? (run.conversation ?? run.rootId) : null,
  };
}
