import { setTimeout as delay } from "node:timers/promises";
import { isOutage, isPassing } from "./postgres-error.ts";

/** Repeats statements while the server is unreachable. */
export interface Persistence {
  /** Calls `work`, and repeats it while a server that was reached before is unreachable. */
  persist<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The milliseconds since the server became reachable again; `Infinity` when it was always reachable. */
  reachableMs(): number;
  /** Shortens the outages to wait for, because the registry is closing. */
  hurry(): void;
}

/** The pause before a retry, in milliseconds. */
const pauseMs = 100;
/** The maximum time of an outage that one attempt counts for, in milliseconds. A process that was suspended did not really wait. */
const maxAttemptMs = 15_000;
/** The maximum outage to wait for while the registry is closing, in milliseconds. */
const closingMs = 2000;

/** Creates a {@link Persistence}. It does not wait for a server that was never reached, because its address may be wrong. */
export function createPersistence({ outageSeconds }: { outageSeconds: number }): Persistence {
  let wasReached = false;
  let isClosing = false;
  let isAway = false;
  let backAt = -Infinity;
  const limitMs = (): number => (isClosing ? closingMs : outageSeconds * 1000);
  return {
    async persist(work) {
      for (let spentMs = 0; ;) {
        const startedAt = performance.now();
        try {
          const value = await work();
          if (isAway) backAt = performance.now();
          isAway = false;
          wasReached = true;
          return value;
        } catch (error) {
          if (!isPassing(error)) throw error;
          isAway ||= isOutage(error);
          spentMs += Math.min(performance.now() - startedAt, maxAttemptMs) + pauseMs;
          if (!wasReached || spentMs > limitMs()) throw error;
          await delay(pauseMs);
        }
      }
    },
    reachableMs: () => (isAway ? 0 : performance.now() - backAt),
    hurry: () => void (isClosing = true),
  };
}
