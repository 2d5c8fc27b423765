import type { Clock } from "../../clock.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { createStop } from "./stop.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/**
 * Starts to measure the duration of a run. The returned function gives the milliseconds during which a process had the run,
 * earlier ones included.
 */
export function measureRun(clock: Clock, { elapsedMs = 0 }: Run): () => number {
  const begunAt = clock.monotonic();
  return () => elapsedMs + Math.round(clock.monotonic() - begunAt);
}

/** Ends a run that exceeds its timeout or shows no sign of life. Time before an earlier interruption counts. */
export function watch(
  { clock, limits }: { clock: Clock; limits: { stallSeconds: number } },
  started: Run,
  { spec, stop }: { spec: RunSpec; stop: AbortController },
): Watchdog {
  const { timeoutSeconds, agent } = spec;
  const { stallSeconds } = limits;
  return createWatchdog({
    clock,
    remainingMs: Math.max(0, timeoutSeconds * 1000 - started.spentMs),
    stallMs: stallSeconds * 1000,
    onTimeout() {
      const message = `Agent ${agent} did not finish within its timeout of ${timeoutSeconds} s.`;
      stop.abort(createStop("timed-out", { code: "timed-out", message }));
    },
    onStall(attempt = stop) {
      const message = `Agent ${agent} showed no activity for ${stallSeconds} s.`;
      attempt.abort(createStop("failed", { code: "stalled", message }));
    },
  });
}

/** Ends the run and its descendants when the wall time of its budget is over. */
export function boundWallTime(
  clock: Clock,
  started: Run,
  { spec, stop }: { spec: RunSpec; stop: AbortController },
): () => void {
  const { wallSeconds } = spec.budget ?? {};
  if (wallSeconds === undefined) return () => undefined;
  return clock.schedule(Math.max(0, wallSeconds * 1000 - started.spentMs), () => {
    const message = `The budget of ${wallSeconds} wallSeconds (of run ${spec.id}) is used up.`;
    const details = { resource: "wallSeconds", limit: wallSeconds, owner: spec.id };
    stop.abort(createStop("failed", { code: "budget-exceeded", message, details }));
  });
}
