/** Time as the engine sees it; tests replace it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `action` once after `delayMs`; the returned function takes that back. */
  schedule: (delayMs: number, action: () => void) => () => void;
  /** The same for housekeeping: does not keep the process alive. */
  scheduleIdly: (delayMs: number, action: () => void) => () => void;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
  scheduleIdly(delayMs, action) {
    const timer = setTimeout(action, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
