import type { Clock } from "../../clock.ts";
import { onSettled } from "../../on-settled.ts";

/** Ends a run that exceeds its time or shows no sign of life. */
export interface Watchdog {
  /** Records a sign of life of the run. */
  heartbeat(): void;
  /** Waits for `work` with both clocks stopped: for answers of the user and for a slot. */
  pauseWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, however long it is silent. Children have their own watchdogs. */
  ignoreSilenceWhile<Value>(work: Promise<Value>): Promise<Value>;
  /** Waits for `work`, which may be silent for at least `quietMs` milliseconds. */
  allowSilence<Value>(quietMs: number, work: Promise<Value>): Promise<Value>;
  /** Adds to the timeout. */
  addTime(addedMs: number): void;
  /** From this call on, a stall ends `attempt` instead of the run. Restarts the count of silence. */
  guardAttempt(attempt: AbortController): void;
  stop(): void;
}

/** Options of {@link createWatchdog}. */
export interface WatchdogOptions {
  clock: Clock;
  /** The remaining time of the timeout. */
  remainingMs: number;
  stallMs: number;
  onTimeout: () => void;
  onStall: (attempt?: AbortController) => void;
}

/** Creates the watchdog of one run, which starts to watch at once. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  return new RunWatchdog(options);
}

/** A class, so that its methods exist once and not for each run: thousands may wait. */
class RunWatchdog implements Watchdog {
  readonly #options: WatchdogOptions;
  /** The remaining time of the timeout at `#resumedAt`. */
  #remainingMs: number;
  #resumedAt: number;
  #pauses = 0;
  /** The number of active works whose silence is ignored. */
  #trusted = 0;
  /** The longer silences allowed for active works. */
  #allowedMs: readonly number[] = [];
  #lastActivityAt: number;
  #attempt: AbortController | undefined;
  #isStopped = false;
  #stopTimeout: () => void;
  #stopChecking: () => void;

  constructor(options: WatchdogOptions) {
    const { clock, remainingMs, stallMs } = options;
    this.#options = options;
    this.#remainingMs = remainingMs;
    this.#resumedAt = clock.monotonic();
    this.#lastActivityAt = this.#resumedAt;
    this.#stopTimeout = clock.schedule(remainingMs, options.onTimeout);
    this.#stopChecking = clock.schedule(stallMs, () => this.#check());
  }

  heartbeat(): void {
    this.#lastActivityAt = this.#options.clock.monotonic();
  }

  async pauseWhile<Value>(work: Promise<Value>): Promise<Value> {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#halt();
    try {
      return await work;
    } finally {
      this.#pauses -= 1;
      this.heartbeat();
      if (this.#pauses === 0 && !this.#isStopped) this.#proceed();
    }
  }

  ignoreSilenceWhile<Value>(work: Promise<Value>): Promise<Value> {
    this.#trusted += 1;
    return onSettled(work, () => {
      this.#trusted -= 1;
      this.heartbeat();
    });
  }

  async allowSilence<Value>(quietMs: number, work: Promise<Value>): Promise<Value> {
    this.#allowedMs = [...this.#allowedMs, quietMs];
    try {
      return await work;
    } finally {
      this.#allowedMs = this.#allowedMs.toSpliced(this.#allowedMs.indexOf(quietMs), 1);
      this.heartbeat();
      // The next check may be scheduled for long after this work.
      this.#checkAgain();
    }
  }

  addTime(addedMs: number): void {
    const isCounting = this.#pauses === 0 && !this.#isStopped;
    if (isCounting) this.#halt();
    this.#remainingMs += addedMs;
    if (isCounting) this.#proceed();
  }

  guardAttempt(attempt: AbortController): void {
    this.#attempt = attempt;
    this.heartbeat();
    this.#checkAgain();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimeout();
    this.#stopChecking();
  }

  #halt(): void {
    this.#stopTimeout();
    this.#remainingMs -= this.#options.clock.monotonic() - this.#resumedAt;
  }

  #proceed(): void {
    const { clock, onTimeout } = this.#options;
    this.#resumedAt = clock.monotonic();
    this.#stopTimeout = clock.schedule(Math.max(0, this.#remainingMs), onTimeout);
  }

  /** Ends a run that has been silent for too long; otherwise schedules the next check. */
  #check(): void {
    const { clock, stallMs, onStall } = this.#options;
    if (this.#pauses > 0 || this.#trusted > 0) this.heartbeat();
    const silentMs = clock.monotonic() - this.#lastActivityAt;
    const allowedMs = Math.max(stallMs, ...this.#allowedMs);
    if (silentMs >= allowedMs) onStall(this.#attempt);
    else this.#stopChecking = clock.schedule(allowedMs - silentMs, () => this.#check());
  }

  #checkAgain(): void {
    this.#stopChecking();
    if (!this.#isStopped) this.#check();
  }
}
