/** Time as the engine sees it; tests replace it. */
export interface Clock {
  /** Epoch milliseconds, for time stamps. The wall clock may be set at any moment: measure with `monotonic`. */
  now(): number;
  /**
   * Milliseconds since an arbitrary moment, for durations and timeouts. It never goes back, even if the wall clock does, and
   * excludes time in which the process could not run because the machine slept or the process was stopped.
   */
  monotonic(): number;
  /** Calls `action` once after `delayMs` of `monotonic` time. The returned function cancels the call. */
  schedule: (delayMs: number, action: () => void) => () => void;
  /** Does the same for housekeeping: does not keep the process alive, and is due right after a suspension. */
  scheduleIdly: (delayMs: number, action: () => void) => () => void;
}

/** The longest delay of a Node timer. Node fires a timer with a longer delay at once. */
const maxDelayMs = 2 ** 31 - 1;
/** The interval at which a process with scheduled actions checks that it runs. */
const tickMs = 1000;
/** The delay of a check on a busy machine. A longer delay means that the process was suspended. */
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
      const timer = setTimeout(action, Math.min(delayMs, maxDelayMs)).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A class, so that its functions exist once and not for each action: every run and every request schedules some. */
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

  /** Cancels the action unless it has run. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#time.unwatch();
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.min(delayMs, maxDelayMs));
  }

  #look(): void {
    const leftMs = this.#dueAt - this.#time.read();
    // Timers count whole milliseconds and include the time of a suspension.
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
  /** Checks that the process runs, until {@link RunningTime.unwatch} has been called as often as this. */
  watch(): void;
  unwatch(): void;
}

/** Measures the time in which the process runs. The checks are due every second, so a longer gap is a suspension. */
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
