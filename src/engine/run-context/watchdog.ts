import type { Clock } from "../../clock.ts";

/** Ends a run that is out of time or shows no sign of life. */
export interface Watchdog {
  /** Records a sign of life of the run. */
  heartbeat(): void;
  /** Waits for `work` while both clocks stand still: for answers of the user and for a slot. */
  pauseWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, however long it is silent: children have watchdogs of their own. */
  ignoreSilenceWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, which may be silent for at least `quietMs` milliseconds. */
  allowSilence<Value>(quietMs: number, work: Promise<Value>): Promise<Value>;
  /** Adds to the timeout. */
  addTime(addedMs: number): void;
  /** Makes a stall end `attempt` instead of the run, from now on. The count of silence starts again. */
  guardAttempt(attempt: AbortController): void;
  stop(): void;
}

/** Options of {@link createWatchdog}. */
export interface WatchdogOptions {
  clock: Clock;
  /** The rest of the timeout. */
  remainingMs: number;
  stallMs: number;
  onTimeout: () => void;
  onStall: (attempt?: AbortController) => void;
}

/** Creates the watchdog of one run, which starts to watch at once. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { clock } = options;
  let { remainingMs } = options;
  let resumedAt = clock.monotonic();
  let pauses = 0;
  let trusted = 0;
  let isStopped = false;
  let stopTimeout = clock.schedule(remainingMs, options.onTimeout);
  const silence = watchSilence(options, () => pauses > 0 || trusted > 0);

  function halt(): void {
    stopTimeout();
    remainingMs -= clock.monotonic() - resumedAt;
  }

  function proceed(): void {
    resumedAt = clock.monotonic();
    stopTimeout = clock.schedule(Math.max(0, remainingMs), options.onTimeout);
  }

  function pause(): void {
    pauses += 1;
    if (pauses === 1) halt();
  }

  function unpause(): void {
    pauses -= 1;
    silence.sign();
    if (pauses === 0 && !isStopped) proceed();
  }

  return {
    heartbeat: silence.sign,
    async pauseWhile(work) {
      pause();
      try {
        return await work;
      } finally {
        unpause();
      }
    },
    ignoreSilenceWhile(work) {
      trusted += 1;
      return work.finally(() => {
        trusted -= 1;
        silence.sign();
      });
    },
    allowSilence: silence.allowWhile,
    addTime(addedMs) {
      const isCounting = pauses === 0 && !isStopped;
      if (isCounting) halt();
      remainingMs += addedMs;
      if (isCounting) proceed();
    },
    guardAttempt: silence.guard,
    stop() {
      isStopped = true;
      stopTimeout();
      silence.stop();
    },
  };
}

/** Waits for signs of life, except while `isExcused`. */
function watchSilence(
  { clock, stallMs, onStall }: WatchdogOptions,
  isExcused: () => boolean,
): {
  sign: Watchdog["heartbeat"];
  allowWhile: Watchdog["allowSilence"];
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
    async allowWhile(quietMs, work) {
      quiets.push(quietMs);
      try {
        return await work;
      } finally {
        quiets.splice(quiets.indexOf(quietMs), 1);
        sign();
        // The next check may be scheduled for long after this work.
        lookAgain();
      }
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
