import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";

/** Work that is done for one key after another. */
export interface ReadingQueue<Value> {
  /** Resolves with the result of the work for a key. Callers that wait for the same key share it. */
  take(key: string, how?: TurnOptions): Promise<Value>;
}

/** How a caller waits for a turn. */
export interface TurnOptions {
  /** The number of readers that the caller represents. Default 1. */
  weight?: number;
  /** Whether the caller comes before all others, without a pause. Default false. */
  isFirst?: boolean;
}

interface Waiting<Value> {
  weight: number;
  isFirst: boolean;
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
}

/** Up to this many waiting callers, there are no pauses. */
const maxWithoutPause = 4;
/** The length of a pause, as a multiple of the CPU time of the turn before it. */
const pauseFactor = 4;
const maxPauseMs = 250;

/**
 * Does `work` for one key at a time, first for the key that most callers wait for, with pauses while many wait. However many callers
 * there are, most of the thread stays free for the runs. A turn lasts until its callers have made all immediate use of the result.
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
      if (next.weight + weigh(waiting) <= maxWithoutPause) continue;
      await pause(Math.min(maxPauseMs, (pauseFactor * (user + system)) / 1000));
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
  if (one === undefined) throw new Error("No caller is waiting.");
  return others.reduce((first, next) => (comesBefore(next[1], first[1]) ? next : first), one);
}

function comesBefore<Value>(one: Waiting<Value>, other: Waiting<Value>): boolean {
  return one.isFirst === other.isFirst ? one.weight > other.weight : one.isFirst;
}
