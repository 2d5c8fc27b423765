import type { Clock } from "../clock.ts";

/** Ends a run that is out of time or shows no sign of life. */
export interface Watchdog {
  /** The run showed that it is alive. */
  sign(): void;
  /** Waits for `work` with neither clock counting: for answers of the user and for a slot. */
  pauseWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, which may be silent for as long as it takes: children report for themselves. */
  trustWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, which may be silent for `quietMs` at least. */
  expectQuietWhile<Value>(quietMs: number, work: Promise<Value>): Promise<Value>;
  /** Has a stall end `attempt`, and not the run, from now on; silence counts anew. */
  guardAttempt(attempt: AbortController): void;
  stop(): void;
}

/** What {@link createWatchdog} needs. */
export interface WatchdogOptions {
  clock: Clock;
  /** What is left of the timeout. */
  remainingMs: number;
  stallMs: number;
  onTimeout: () => void;
  onStall: (attempt?: AbortController) => void;
}

/** Watches one run, from now on. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { clock } = options;
  let { remainingMs } = options;
  let resumedAt = clock.monotonic();
  let pauses = 0;
  let trusted = 0;
  let isStopped = false;
  let stopTimeout = clock.schedule(remainingMs, options.onTimeout);
  const silence = watchSilence(options, () => pauses > 0 || trusted > 0);

  function pause(): void {
    pauses += 1;
    if (pauses > 1) return;
    stopTimeout();
    remainingMs -= clock.monotonic() - resumedAt;
  }

  function unpause(): void {
    pauses -= 1;
    silence.sign();
    if (pauses > 0 || isStopped) return;
    resumedAt = clock.monotonic();
    stopTimeout = clock.schedule(Math.max(0, remainingMs), options.onTimeout);
  }

  return {
    sign: silence.sign,
    async pauseWhile(work) {
      pause();
      return await work.finally(unpause);
    },
    async trustWhile(work) {
      trusted += 1;
      return await work.finally(() => {
        trusted -= 1;
        silence.sign();
      });
    },
    expectQuietWhile: silence.expectWhile,
    guardAttempt: silence.guard,
    stop() {
      isStopped = true;
      stopTimeout();
      silence.stop();
    },
  };
}

/** The half of the watchdog that waits for signs of life, except while `isExcused`. */
function watchSilence(
  { clock, stallMs, onStall }: WatchdogOptions,
  isExcused: () => boolean,
): {
  sign: Watchdog["sign"];
  expectWhile: Watchdog["expectQuietWhile"];
  guard: Watchdog["guardAttempt"];
  stop: () => void;
} {
  const quiets: number[] = [];
  let attempt: AbortController | undefined;
  let isStopped = false;
  let lastSign = clock.monotonic();
  let cancel = clock.schedule(stallMs, look);

  function look(): void {
    if (isExcused()) sign();
    const silentMs = clock.monotonic() - lastSign;
    const allowedMs = Math.max(stallMs, ...quiets);
    if (silentMs >= allowedMs) onStall(attempt);
    else cancel = clock.schedule(allowedMs - silentMs, look);
  }

  function sign(): void {
    lastSign = clock.monotonic();
  }

  function lookAgain(): void {
    cancel();
    if (!isStopped) look();
  }

  return {
    sign,
    guard(next) {
      attempt = next;
      sign();
      lookAgain();
    },
    async expectWhile(quietMs, work) {
      quiets.push(quietMs);
      return await work.finally(() => {
        quiets.splice(quiets.indexOf(quietMs), 1);
        sign();
        // The next look may have been put off until long after what has ended now.
        lookAgain();
      });
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
