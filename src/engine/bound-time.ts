import type { Clock } from "../clock.ts";
import type { Run, RunSpec } from "../run/run.ts";
import { createStop } from "./stop.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** Returns the milliseconds from the creation of a run until now, as long as a process had it. This one has it from now on. */
export function measureRun(clock: Clock, { elapsedMs = 0 }: Run): () => number {
  const begunAt = clock.monotonic();
  return () => elapsedMs + Math.round(clock.monotonic() - begunAt);
}

/** Ends a run that takes longer than its timeout, or shows no sign of life. What it ran before it was `started` again counts. */
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
      const message = `Agent ${agent} showed no sign of life for ${stallSeconds} s.`;
      attempt.abort(createStop("failed", { code: "stalled", message }));
    },
  });
}

/** Ends the run, and so its descendants, when the time of its budget is up. */
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
