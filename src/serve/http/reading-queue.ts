import { setTimeout as delay } from "node:timers/promises";

/** Work that is done for keys, one after the other. */
export interface ReadingQueue<Value> {
  /** Resolves with what the work returns for a key. Callers that wait for one key share it; `weight` is how many others wait with this one. */
  take(key: string, weight?: number): Promise<Value>;
}

interface Waiting<Value> {
  weight: number;
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
}

/** While several keys wait, a pause this many times as long as the work follows it. */
const pauseFactor = 4;
const longestPauseMs = 250;

/**
 * Does `work` for one key at a time, first for the key that most callers wait for, with pauses while others wait: any number of callers
 * leaves most of the thread to the runs.
 */
export function createReadingQueue<Value>(
  work: (key: string) => Promise<Value>,
): ReadingQueue<Value> {
  const waiting = new Map<string, Waiting<Value>>();
  let isAtWork = false;

  async function workOn(): Promise<void> {
    isAtWork = true;
    while (waiting.size > 0) {
      const [key, next] = heaviestOf(waiting);
      const begun = performance.now();
      await work(key).then(next.resolve, next.reject);
      waiting.delete(key);
      const pauseMs = Math.min(longestPauseMs, pauseFactor * (performance.now() - begun));
      if (waiting.size > 0) await delay(pauseMs);
    }
    isAtWork = false;
  }

  return {
    async take(key, weight = 1) {
      const known = waiting.get(key);
      if (known !== undefined) {
        known.weight += weight;
        return await known.promise;
      }
      const mine = { weight, ...Promise.withResolvers<Value>() };
      waiting.set(key, mine);
      if (!isAtWork) void workOn();
      return await mine.promise;
    },
  };
}

function heaviestOf<Value>(waiting: ReadonlyMap<string, Waiting<Value>>): [string, Waiting<Value>] {
  const [first, ...others] = waiting;
  if (first === undefined) throw new Error("Nobody waits.");
  return others.reduce((most, one) => (one[1].weight > most[1].weight ? one : most), first);
}
