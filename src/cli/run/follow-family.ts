import { setTimeout } from "node:timers/promises";
import type { Cadre, RunEvent, RunOverview } from "../../host.ts";
import { reportWaiting } from "./report-waiting.ts";

/** An event of a family and the latest state of its run, with the run's attempts as of the event. */
export interface FamilyEvent {
  event: RunEvent;
  run: RunOverview;
}

/** Options of {@link followFamily}. */
export interface FollowFamilyOptions {
  /** Whether to begin with the events recorded so far, in order of time. */
  fromStart: boolean;
  /** Whether to continue with new events. Default true. */
  live?: boolean;
  /** Stops following. */
  signal?: AbortSignal;
  /** Receives a line when the family waits for a worker. The line gives the reason when no worker can execute it. */
  onWait?: (line: string) => void;
}

/** Yields the events of a run and its descendants, in any process, until all of them have ended. */
export async function* followFamily(
  cadre: Pick<Cadre, "events" | "position" | "tree" | "find" | "waiting">,
  id: string,
  { fromStart, live = true, signal, onWait }: FollowFamilyOptions,
): AsyncGenerator<FamilyEvent, void> {
  const stop = new AbortController();
  const ending = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  // Read before the journals: a database with several connections may execute a later query first.
  const after = live ? await cadre.position() : "";
  const events = cadre.events({ after, signal: ending });
  let next = live ? events.next() : undefined;
  next?.catch(() => undefined);
  const family = new Map<string, RunOverview>();
  const seen = new Map<string, number>();
  const attempts = new Map<string, number>();
  const find = (event: RunEvent, run: RunOverview): FamilyEvent => {
    const before = attempts.get(run.id) ?? 0;
    const count = event.type === "run-started" ? before + 1 : before;
    attempts.set(run.id, count);
    seen.set(run.id, event.seq);
    return { event, run: { ...run, attempts: count } };
  };
  const refresh = async (): Promise<void> => {
    for (const run of await cadre.tree(id)) family.set(run.id, run);
  };
  // The runs are read in their current state, which may be ahead of the events that this reader has received.
  const isOver = (): boolean =>
    [...family.values()].every(
      ({ id: runId, result, lastSeq }) => result !== null && (seen.get(runId) ?? 0) >= lastSeq,
    );
  const telling =
    live && onWait !== undefined ? reportWaiting(cadre, id, { onWait, signal: ending }) : undefined;
  try {
    await refresh();
    for (const { event, run } of await readRecorded(cadre, family)) {
      const found = find(event, run);
      if (fromStart) yield found;
    }
    while (next !== undefined && !isOver() && !ending.aborted) {
      const { value, done = false } = await next;
      if (done || value === undefined) return;
      next = events.next();
      next.catch(() => undefined);
      const { event } = value;
      if (isNews(event, family)) await refresh();
      const run = family.get(event.runId);
      if (run === undefined || event.seq <= (seen.get(run.id) ?? 0)) continue;
      yield find(event, run);
    }
  } finally {
    stop.abort(new Error("the family is no longer followed"));
    await telling;
  }
}

/** Reports whether an event changes the set of runs or their state. */
function isNews(event: RunEvent, family: ReadonlyMap<string, RunOverview>): boolean {
  if (event.type === "run-created") return family.has(event.spec.parentId ?? "");
  const isChange = event.type === "run-started" || event.type === "run-finished";
  return isChange && family.has(event.runId);
}

async function readRecorded(
  cadre: Pick<Cadre, "find">,
  family: ReadonlyMap<string, RunOverview>,
): Promise<FamilyEvent[]> {
  const found = await Promise.all(
    [...family.values()].map(async (run) => {
      const journal = await (await cadre.find(run.id)).journal();
      let at = 0;
      // A run's events keep their order: the clocks of two processes may differ, and a clock may be set back.
      return journal.map((event) => ({ at: (at = Math.max(at, event.at)), event, run }));
    }),
  );
  return found.flat().toSorted((one, other) => one.at - other.at);
}

/** The interval between two checks of {@link watchProcess}, in milliseconds. */
const checkMs = 1000;

/** Calls `onGone` when no process executes an unfinished family. */
export async function watchProcess(
  cadre: Pick<Cadre, "resumable" | "find">,
  rootId: string,
  { signal, onGone }: { signal: AbortSignal; onGone: () => Promise<void> },
): Promise<void> {
  while (!signal.aborted) {
    if ((await cadre.resumable()).includes(rootId)) await onGone();
    await setTimeout(checkMs, undefined, { signal }).catch(() => undefined);
  }
}
