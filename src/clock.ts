/** Time as the engine sees it; tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `action` once after `delayMs`; the returned function takes that back. */
  schedule: (delayMs: number, action: () => void) => () => void;
  /** The same for housekeeping: does not keep the process alive. */
  scheduleIdly: (delayMs: number, action: () => void) => () => void;
}

/** What a timer of Node can take; it fires a longer one at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's clock. A delay of more than 24 days is cut to that. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, action) {
    const timer = setTimeout(action, Math.min(delayMs, longestDelayMs));
    return () => clearTimeout(timer);
  },
  scheduleIdly(delayMs, action) {
    const timer = setTimeout(action, Math.min(delayMs, longestDelayMs)).unref();
    return () => clearTimeout(timer);
  },
};
