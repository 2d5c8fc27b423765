import type { Clock } from "../clock.ts";

/** A clock that advances only on request. */
export interface FakeClock extends Clock {
  /** Advances the time and makes all due calls in order. */
  advance(ms: number): void;
  /**
   * Waits until a call is due within `ms`, such as a time limit or the wait before a retry, and advances the time by `ms`. Rejects
   * when none is scheduled after `patienceMs` of real time (default 4000). The message lists the scheduled calls.
   */
  elapse(ms: number, options?: { patienceMs?: number }): Promise<void>;
  /** Sets the wall clock forward or back without advancing the time. */
  jump(ms: number): void;
  /** The number of scheduled calls. */
  readonly pending: number;
}

/** Options of {@link createFakeClock}. */
export interface FakeClockOptions {
  /** The initial wall clock, in epoch milliseconds. Default 1,000,000. */
  start?: number;
  /**
   * How long a call that is due within a minute of fake time may wait for an advance, in milliseconds of real time. After that, the
   * process emits a warning. Default 4000.
   */
  patienceMs?: number;
}

interface Timer {
  at: number;
  action: () => void;
}

/** Later calls are limits that a run normally never reaches. */
const soonMs = 60_000;
const patience = 4000;

/** Creates a {@link FakeClock}. */
export function createFakeClock(options: number | FakeClockOptions = {}): FakeClock {
  const { start = 1_000_000, patienceMs = patience } =
    typeof options === "number" ? { start: options } : options;
  let passed = 0;
  let wall = start;
  let timers: Timer[] = [];
  const waiting = new Set<() => void>();
  const warn = warnOnce(() => describe(timers, passed));

  const scheduleIdly = (delayMs: number, action: () => void): (() => void) => {
    const timer = { at: passed + delayMs, action };
    timers.push(timer);
    for (const check of waiting) check();
    return () => void (timers = timers.filter((other) => other !== timer));
  };
  const advance = (ms: number): void => {
    const until = passed + ms;
    for (;;) {
      const next = nextOf(timers.filter(({ at }) => at <= until));
      if (next === undefined) break;
      timers = timers.filter((timer) => timer !== next);
      passed = next.at;
      next.action();
    }
    passed = until;
  };

  return {
    now: () => wall + passed,
    monotonic: () => passed,
    schedule(delayMs, action) {
      const release = delayMs <= soonMs ? warn(patienceMs) : () => undefined;
      const cancel = scheduleIdly(delayMs, () => {
        release();
        action();
      });
      return () => {
        release();
        cancel();
      };
    },
    scheduleIdly,
    get pending() {
      return timers.length;
    },
    jump: (ms) => void (wall += ms),
    advance,
    async elapse(ms, { patienceMs: longest = patience } = {}) {
      const isDue = (): boolean => timers.some(({ at }) => at <= passed + ms);
      const problem = (): string =>
        `Expected a call within ${ms} ms of the fake clock, and waited for it for ${longest} ms. ${describe(timers, passed)}`;
      await waitFor(isDue, { waiting, longest, problem });
      advance(ms);
    },
  };
}

function nextOf(timers: readonly Timer[]): Timer | undefined {
  return timers.toSorted((left, right) => left.at - right.at)[0];
}

function describe(timers: readonly Timer[], passed: number): string {
  const delays = timers.map(({ at }) => at - passed).toSorted((left, right) => left - right);
  if (delays.length === 0) return "Nothing is scheduled.";
  return `Scheduled: in ${delays.slice(0, 5).join(" ms, ")} ms.`;
}

interface Wait {
  waiting: Set<() => void>;
  longest: number;
  problem: () => string;
}

async function waitFor(holds: () => boolean, { waiting, longest, problem }: Wait): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      waiting.delete(check);
    };
    const check = (): void => {
      if (!holds()) return;
      leave();
      resolve();
    };
    const timer = setTimeout(() => {
      leave();
      reject(new Error(problem()));
    }, longest);
    waiting.add(check);
  });
}

/** Returns a function that starts a wait. A wait that is not released in time causes one warning. */
function warnOnce(describePending: () => string): (patienceMs: number) => () => void {
  let hasWarned = false;
  return (patienceMs) => {
    const timer = setTimeout(() => {
      if (hasWarned) return;
      hasWarned = true;
      const advice = "Call `advance(ms)` or `await elapse(ms)`.";
      process.emitWarning(
        `The fake clock was not advanced for ${patienceMs} ms. ${describePending()} ${advice}`,
      );
    }, patienceMs).unref();
    return () => clearTimeout(timer);
  };
}
