import { setTimeout as delay } from "node:timers/promises";

/** The bytes of an answer. */
export type AnswerBytes = Uint8Array<ArrayBuffer>;

/** Answers that several requests share. */
export interface SharedAnswers {
  /**
   * Returns the result of `compute` for this request, or for another request with the same key. The computation begins after the request
   * has arrived, so an answer is never older than its request.
   */
  get(key: string, compute: () => Promise<AnswerBytes>): Promise<AnswerBytes>;
}

/** Up to this many requests share an answer without a pause before the next one. */
const maxWithoutPause = 4;
/** With more requests, the answers of a key are computed during a twentieth of the time. */
const pauseFactor = 20;
const maxPauseMs = 1000;

interface Work {
  begunAt: number;
  tookMs: number;
  /** The number of requests that received the last answer. */
  shared: number;
  current?: Promise<AnswerBytes> | undefined;
  next?: { answer: Promise<AnswerBytes>; shared: number } | undefined;
}

/**
 * Creates shared answers. A request that arrives during the computation for an equal request waits for the next computation, together
 * with all requests until then. A thousand pages that reload one family therefore cost as much as a few.
 */
export function createSharedAnswers(): SharedAnswers {
  const works = new Map<string, Work>();

  async function compute(
    key: string,
    work: Work,
    how: () => Promise<AnswerBytes>,
  ): Promise<AnswerBytes> {
    work.begunAt = performance.now();
    try {
      work.current = how();
      return await work.current;
    } finally {
      work.current = undefined;
      work.tookMs = performance.now() - work.begunAt;
      setTimeout(forget, maxPauseMs, key, work).unref();
    }
  }

  function forget(key: string, work: Work): void {
    const isInUse = work.current !== undefined || work.next !== undefined;
    if (!isInUse && works.get(key) === work) works.delete(key);
  }

  function pauseMs({ shared, next, begunAt, tookMs }: Work): number {
    if (Math.max(shared, next?.shared ?? 0) <= maxWithoutPause) return 0;
    return Math.min(maxPauseMs, tookMs * pauseFactor) - (performance.now() - begunAt);
  }

  async function computeNext(
    key: string,
    work: Work,
    how: () => Promise<AnswerBytes>,
  ): Promise<AnswerBytes> {
    await work.current?.catch(() => undefined);
    await delay(Math.max(0, pauseMs(work)));
    work.shared = work.next?.shared ?? 1;
    work.next = undefined;
    return await compute(key, work, how);
  }

  return {
    async get(key, how) {
      const work = works.get(key) ?? { begunAt: 0, tookMs: 0, shared: 0 };
      works.set(key, work);
      if (work.next !== undefined) {
        work.next.shared += 1;
        return await work.next.answer;
      }
      if (work.current === undefined && pauseMs(work) <= 0) {
        work.shared = 1;
        return await compute(key, work, how);
      }
      const next = { answer: Promise.resolve(new Uint8Array()), shared: 1 };
      work.next = next;
      next.answer = computeNext(key, work, how);
      return await next.answer;
    },
  };
}
