import { setTimeout as delay } from "node:timers/promises";
import { isOutage, isPassing } from "./postgres-error.ts";

/** Repeats statements while the server is away. */
export interface Persistence {
  /** Does `work`, again while the server that once was reached is away. */
  persist<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The milliseconds since the server could be reached again; `Infinity` when it never was out of reach. */
  reachableMs(): number;
  /** Shortens the outages that are waited for, because the registry is being closed. */
  hurry(): void;
}

/** The pause before a statement is tried again, in milliseconds. */
const pauseMs = 100;
/** How much of an outage one attempt counts for, in milliseconds: a process that was suspended has waited for nothing. */
const longestAttemptMs = 15_000;
/** How long an outage may last while the registry is closed, in milliseconds. */
const closingMs = 2000;

/** Creates a {@link Persistence}. A server that was never reached is not waited for: its address may be wrong. */
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
          spentMs += Math.min(performance.now() - startedAt, longestAttemptMs) + pauseMs;
          if (!wasReached || spentMs > limitMs()) throw error;
          await delay(pauseMs);
        }
      }
    },
    reachableMs: () => (isAway ? 0 : performance.now() - backAt),
    hurry: () => void (isClosing = true),
  };
}
