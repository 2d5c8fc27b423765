import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";

/** Work that is done for keys, one after the other. */
export interface ReadingQueue<Value> {
  /** Resolves with what the work returns for a key. Callers that wait for one key share it. */
  take(key: string, how?: TurnOptions): Promise<Value>;
}

/** How a caller waits for a turn. */
export interface TurnOptions {
  /** How many wait with it. Default 1. */
  weight?: number;
  /** Whether it comes before all others, without a pause. Default: no. */
  isFirst?: boolean;
}

interface Waiting<Value> {
  weight: number;
  isFirst: boolean;
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
}

/** The callers for whom there are no pauses. */
const crowd = 4;
/** With more, a pause this many times as long as the CPU time of a turn follows it. */
const pauseFactor = 4;
const longestPauseMs = 250;

/**
 * Does `work` for one key at a time, first for the key that most callers wait for, with pauses while many wait: any number of callers
 * leaves most of the thread to the runs. A turn lasts until those who waited have used the result as far as they can at once.
 */
export function createReadingQueue<Value>(
  work: (key: string) => Promise<Value>,
): ReadingQueue<Value> {
  const waiting = new Map<string, Waiting<Value>>();
  let isAtWork = false;
  let hurry = (): void => undefined;

  async function pause(ms: number): Promise<void> {
    const ending = new AbortController();
    hurry = () => ending.abort();
    if ([...waiting.values()].some(({ isFirst }) => isFirst)) return;
    await delay(ms, undefined, { signal: ending.signal }).catch(() => undefined);
  }

  async function workOn(): Promise<void> {
    isAtWork = true;
    while (waiting.size > 0) {
      const [key, next] = firstOf(waiting);
      const begun = process.threadCpuUsage();
      await work(key).then(next.resolve, next.reject);
      waiting.delete(key);
      await turn();
      const { user, system } = process.threadCpuUsage(begun);
      if (next.weight + weigh(waiting) <= crowd) continue;
      await pause(Math.min(longestPauseMs, (pauseFactor * (user + system)) / 1000));
    }
    isAtWork = false;
  }

  return {
    async take(key, { weight = 1, isFirst = false } = {}) {
      const known = waiting.get(key);
      if (known !== undefined) {
        known.weight += weight;
        known.isFirst ||= isFirst;
      }
      const mine = known ?? { weight, isFirst, ...Promise.withResolvers<Value>() };
      waiting.set(key, mine);
      if (mine.isFirst) hurry();
      if (!isAtWork) void workOn();
      return await mine.promise;
    },
  };
}

function weigh<Value>(waiting: ReadonlyMap<string, Waiting<Value>>): number {
  return waiting.values().reduce((sum, { weight }) => sum + weight, 0);
}

function firstOf<Value>(waiting: ReadonlyMap<string, Waiting<Value>>): [string, Waiting<Value>] {
  const [one, ...others] = waiting;
  if (one === undefined) throw new Error("Nobody waits.");
  return others.reduce((first, next) => (comesBefore(next[1], first[1]) ? next : first), one);
}

function comesBefore<Value>(one: Waiting<Value>, other: Waiting<Value>): boolean {
  return one.isFirst === other.isFirst ? one.weight > other.weight : one.isFirst;
}
