import type { Clock } from "../../clock.ts";
import type { LimitRaise } from "../../run/budget.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { createStop } from "./stop.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/**
 * Measures the duration of a run from the end of its dependencies. The returned function gives the milliseconds during which a
 * process, including earlier ones, had the run.
 */
export function measureRun(
  clock: Clock,
  { elapsedMs = 0 }: Run,
  dependencies: Promise<void> | undefined,
): () => number {
  let begunAt = dependencies === undefined ? clock.monotonic() : undefined;
  dependencies?.then(
    () => (begunAt = clock.monotonic()),
    () => undefined,
  );
  return () =>
    begunAt === undefined ? elapsedMs : elapsedMs + Math.round(clock.monotonic() - begunAt);
}

/** Options of {@link boundTime}. */
export interface TimeBounds {
  clock: Clock;
  limits: { stallSeconds: number };
}

/** The time limits of an active run. */
export interface BoundTime {
  watchdog: Watchdog;
  /** Adds to the limits. */
  raise(raise: LimitRaise): void;
  stop(): void;
}

/**
 * Ends a run that exceeds its timeout or its budget's wall time, or that shows no sign of life. Time before an earlier
 * interruption counts.
 */
export function boundTime(
  options: TimeBounds,
  started: Run,
  ended: { spec: RunSpec; stop: AbortController },
): BoundTime {
  const timeout = { seconds: ended.spec.timeoutSeconds + (started.addedSeconds ?? 0) };
  const watchdog = watch(options, { ...ended, timeout, spentMs: started.spentMs });
  const limit = started.budget?.wallSeconds;
  const wall =
    limit === undefined
      ? unbounded
      : boundWallTime(options.clock, started, { limit, stop: ended.stop });
  return {
    watchdog,
    raise({ timeoutSeconds = 0, budget: { wallSeconds = 0 } = {} }) {
      timeout.seconds += timeoutSeconds;
      if (timeoutSeconds > 0) watchdog.addTime(timeoutSeconds * 1000);
      if (wallSeconds > 0) wall.add(wallSeconds);
    },
    stop() {
      wall.stop();
      watchdog.stop();
    },
  };
}

function watch(
  { clock, limits: { stallSeconds } }: TimeBounds,
  {
    spec: { agent },
    stop,
    timeout,
    spentMs,
  }: { spec: RunSpec; stop: AbortController; timeout: { seconds: number }; spentMs: number },
): Watchdog {
  return createWatchdog({
    clock,
    remainingMs: Math.max(0, timeout.seconds * 1000 - spentMs),
    stallMs: stallSeconds * 1000,
    onTimeout() {
      const message = `Agent ${agent} did not finish within its timeout of ${timeout.seconds} s.`;
      stop.abort(createStop("timed-out", { code: "timed-out", message }));
    },
    onStall(attempt = stop) {
      const message = `Agent ${agent} showed no activity for ${stallSeconds} s.`;
      attempt.abort(createStop("failed", { code: "stalled", message }));
    },
  });
}

/** The wall time of one run. */
interface WallTime {
  add(seconds: number): void;
  stop(): void;
}

const unbounded: WallTime = { add: () => undefined, stop: () => undefined };

/** Ends the run and its descendants after `limit` seconds, the wall time in its budget. */
function boundWallTime(
  clock: Clock,
  { id, spentMs }: Run,
  { limit, stop }: { limit: number; stop: AbortController },
): WallTime {
  const startedAt = clock.monotonic() - spentMs;
  const end = (): void => {
    const message = `The budget of ${limit} wallSeconds (of run ${id}) is used up.`;
    const details = { resource: "wallSeconds", limit, owner: id };
    stop.abort(createStop("failed", { code: "budget-exceeded", message, details }));
  };
  const schedule = (seconds: number): (() => void) =>
    clock.schedule(Math.max(0, startedAt + seconds * 1000 - clock.monotonic()), end);
  let cancel = schedule(limit);
  return {
    add(seconds) {
      cancel();
      limit += seconds;
      cancel = schedule(limit);
    },
    stop: () => cancel(),
  };
}
