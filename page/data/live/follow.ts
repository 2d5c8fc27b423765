/** The shown data after further events, by the same projections of the journal that the server uses. */

import { toRunOverviews } from "../../../src/run/run-overview.ts";
import { readSteps, type RunSteps } from "../../../src/run/timeline/steps.ts";
import { applyEvent } from "../../../src/run/transition.ts";
import type { RunEvent, ServedRun } from "../types.ts";

/** The events that change the figures of a family. */
const counting: ReadonlySet<RunEvent["type"]> = new Set([
  "run-created",
  "step-started",
  "step-finished",
  "request-failed",
  "run-finished",
]);

/** Returns a family after events of any runs: the same object when no event concerns it, `undefined` when an event is missing. */
export function applyToFamily(
  runs: readonly ServedRun[],
  events: readonly RunEvent[],
): readonly ServedRun[] | undefined {
  const rootId = runs[0]?.rootId;
  const byId = new Map(runs.map((run) => [run.id, run]));
  const own = events.filter(
    (event) =>
      byId.has(event.runId) || (event.type === "run-created" && event.spec.rootId === rootId),
  );
  // A child's first event may arrive together with other events of the child.
  const created = new Set(own.map(({ runId }) => runId));
  const wanted = events.filter(({ runId }) => created.has(runId));
  let [hasChanged, isCounting] = [false, false];
  for (const event of wanted) {
    const before = byId.get(event.runId);
    if (before !== undefined && event.seq <= before.lastSeq) continue;
    if (event.seq !== (before?.lastSeq ?? 0) + 1) return undefined;
    const after = applyOne(before, event);
    if (after === undefined) return undefined;
    byId.set(event.runId, after);
    hasChanged = true;
    isCounting ||= counting.has(event.type);
  }
  if (!hasChanged) return runs;
  const all = [...byId.values()];
  if (!isCounting) return all;
  return toRunOverviews(all).map((run, index) =>
    Object.assign(run, { isLeft: all[index]?.isLeft === true }),
  );
}

function applyOne(before: ServedRun | undefined, event: RunEvent): ServedRun | undefined {
  try {
    const after = applyEvent(before, event);
    const figures = before ?? { runs: 1, ...after.own };
    const isLeft = event.type !== "run-started" && before?.isLeft === true;
    return { ...figures, ...after, isLeft };
  } catch {
    // The journal has an event that this page does not know: the server may be newer.
    return undefined;
  }
}

/** Returns the steps of the run `id` after events of any runs, as {@link applyToFamily} does. */
export function followSteps(
  steps: RunSteps,
  events: readonly RunEvent[],
  id: string,
): RunSteps | undefined {
  const own = eventsAfter(events, id, steps.lastSeq);
  return own === undefined ? undefined : own.length === 0 ? steps : readSteps(own, steps);
}

/** Returns the journal of the run `id` after events of any runs, as {@link applyToFamily} does. */
export function followJournal(
  journal: readonly RunEvent[],
  events: readonly RunEvent[],
  id: string,
): readonly RunEvent[] | undefined {
  const own = eventsAfter(events, id, journal.at(-1)?.seq ?? 0);
  return own === undefined ? undefined : own.length === 0 ? journal : [...journal, ...own];
}

/** Returns the events of a run after the number `seq`; `undefined` when one is missing in between. */
function eventsAfter(events: readonly RunEvent[], id: string, seq: number): RunEvent[] | undefined {
  const own = events.filter((event) => event.runId === id && event.seq > seq);
  return own.every((event, index) => event.seq === seq + index + 1) ? own : undefined;
}
