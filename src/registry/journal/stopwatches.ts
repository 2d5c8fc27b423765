import type { Clock } from "../../clock.ts";
import type { RunEvent } from "../../run/event.ts";

/** Measures the time between the events that this process writes for each run. */
export interface Stopwatches {
  /** Returns the milliseconds since the previous event of the run; `undefined` when this process wrote none. */
  readElapsed(runId: string, type: RunEvent["type"]): number | undefined;
}

interface Stopwatch {
  startedAt: number;
  /** Whole milliseconds at the last event, so that rounding errors do not add up. */
  readMs: number;
}

/** Creates {@link Stopwatches}. */
export function createStopwatches(clock: Pick<Clock, "monotonic">): Stopwatches {
  const stopwatches = new Map<string, Stopwatch>();
  return {
    readElapsed(runId, type) {
      const stopwatch = stopwatches.get(runId);
      if (stopwatch === undefined) {
        stopwatches.set(runId, { startedAt: clock.monotonic(), readMs: 0 });
        return undefined;
      }
      const totalMs = Math.round(clock.monotonic() - stopwatch.startedAt);
      const elapsedMs = totalMs - stopwatch.readMs;
      stopwatch.readMs = totalMs;
      if (type === "run-finished") stopwatches.delete(runId);
      return elapsedMs;
    },
  };
}
