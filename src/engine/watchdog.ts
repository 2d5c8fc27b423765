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
  stop(): void;
}

/** What {@link createWatchdog} needs. */
export interface WatchdogOptions {
  clock: Clock;
  /** What is left of the timeout. */
  remainingMs: number;
  stallMs: number;
  onTimeout: () => void;
  onStall: () => void;
}

/** Watches one run, from now on. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { clock, stallMs } = options;
  let { remainingMs } = options;
  let resumedAt = clock.now();
  let lastSign = clock.now();
  let pauses = 0;
  let trusted = 0;
  let isStopped = false;
  const quiets: number[] = [];
  let stopTimeout = clock.schedule(remainingMs, options.onTimeout);
  let stopStall = clock.schedule(stallMs, checkStall);

  function checkStall(): void {
    if (pauses > 0 || trusted > 0) lastSign = clock.now();
    const silentMs = clock.now() - lastSign;
    const allowedMs = Math.max(stallMs, ...quiets);
    if (silentMs >= allowedMs) options.onStall();
    else stopStall = clock.schedule(allowedMs - silentMs, checkStall);
  }

  function pause(): void {
    pauses += 1;
    if (pauses > 1) return;
    stopTimeout();
    remainingMs -= clock.now() - resumedAt;
  }

  function unpause(): void {
    pauses -= 1;
    lastSign = clock.now();
    if (pauses > 0 || isStopped) return;
    resumedAt = clock.now();
    stopTimeout = clock.schedule(Math.max(0, remainingMs), options.onTimeout);
  }

  return {
    sign() {
      lastSign = clock.now();
    },
    async pauseWhile(work) {
      pause();
      return await work.finally(unpause);
    },
    async trustWhile(work) {
      trusted += 1;
      return await work.finally(() => {
        trusted -= 1;
        lastSign = clock.now();
      });
    },
    async expectQuietWhile(quietMs, work) {
      quiets.push(quietMs);
      return await work.finally(() => void quiets.splice(quiets.indexOf(quietMs), 1));
    },
    stop() {
      isStopped = true;
      stopTimeout();
      stopStall();
    },
  };
}
