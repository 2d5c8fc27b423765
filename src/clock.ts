/** Time as the engine sees it; tests replace it. */
export interface Clock {
  /** Epoch milliseconds, to stamp things with. It may be set at any moment: measure with `monotonic`. */
  now(): number;
  /**
   * Milliseconds that passed since some moment, for durations and timeouts. It never goes back, whatever becomes of the
   * wall clock, and leaves out the time in which the process could not run: the machine slept, or the process was stopped.
   */
  monotonic(): number;
  /** Calls `action` once after `delayMs` of `monotonic` time; the returned function takes that back. */
  schedule: (delayMs: number, action: () => void) => () => void;
  /** The same for housekeeping: does not keep the process alive, and is due right after a suspension. */
  scheduleIdly: (delayMs: number, action: () => void) => () => void;
}

/** The longest timer of Node; it fires a longer one at once. */
const longestDelayMs = 2 ** 31 - 1;
/** How often a process that has something scheduled checks that it runs. */
const tickMs = 1000;
/** How late a check may be on a busy machine; one that is later comes after a suspension. */
const latestMs = 2000;

/** The machine's clock. */
export const systemClock: Clock = createSystemClock();

function createSystemClock(): Clock {
  const time = createRunningTime();
  return {
    now: () => Date.now(),
    monotonic: time.read,
    schedule(delayMs, action) {
      const scheduled = new ScheduledAction(time, delayMs, action);
      return () => scheduled.end();
    },
    scheduleIdly(delayMs, action) {
      const timer = setTimeout(action, Math.min(delayMs, longestDelayMs)).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A class, so that its functions exist once and not for each action: every run and every request has some. */
class ScheduledAction {
  readonly #time: RunningTime;
  readonly #dueAt: number;
  readonly #action: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(time: RunningTime, delayMs: number, action: () => void) {
    this.#time = time;
    this.#dueAt = time.read() + delayMs;
    this.#action = action;
    time.watch();
    this.#wait(delayMs);
  }

  /** Gives the action up, if it is not over. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#time.unwatch();
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.min(delayMs, longestDelayMs));
  }

  #look(): void {
    const leftMs = this.#dueAt - this.#time.read();
    // Timers count whole milliseconds, and the time of a suspension.
    if (leftMs >= 1) {
      this.#wait(leftMs);
      return;
    }
    this.end();
    this.#action();
  }
}

interface RunningTime {
  read(): number;
  /** Checks that the process runs, until {@link RunningTime.unwatch} is called as often. */
  watch(): void;
  unwatch(): void;
}

/** The time in which the process runs: a gap between two checks that are due every second is no part of it. */
function createRunningTime(): RunningTime {
  let watchers = 0;
  let suspendedMs = 0;
  let lastCheck = 0;
  let timer: NodeJS.Timeout | undefined;

  function read(): number {
    const now = performance.now();
    const gapMs = now - lastCheck;
    if (watchers > 0 && gapMs > tickMs + latestMs) suspendedMs += gapMs - tickMs;
    lastCheck = now;
    return now - suspendedMs;
  }

  function tick(): void {
    read();
    timer = setTimeout(tick, tickMs).unref();
  }

  return {
    read,
    watch() {
      if (watchers === 0) tick();
      watchers += 1;
    },
    unwatch() {
      watchers -= 1;
      if (watchers === 0) clearTimeout(timer);
    },
  };
}
