import type { Clock } from "../../clock.ts";

/** A time limit that can be paused. */
export interface Deadline {
  /** Aborts when the time is up. */
  signal: AbortSignal;
  /** Waits for `work` while the time limit is paused. */
  pauseWhile<Value>(work: Promise<Value>): Promise<Value>;
  stop(): void;
}

/** Starts a time limit of `limitMs`. */
export function createDeadline(clock: Clock, limitMs: number): Deadline {
  const controller = new AbortController();
  let remainingMs = limitMs;
  let startedAt = clock.monotonic();
  let pauses = 0;
  let isStopped = false;
  const expire = (): void => controller.abort(new Error("the time is up"));
  let cancel = clock.schedule(remainingMs, expire);

  function resume(): void {
    pauses -= 1;
    if (pauses > 0 || isStopped) return;
    startedAt = clock.monotonic();
    cancel = clock.schedule(Math.max(0, remainingMs), expire);
  }

  return {
    signal: controller.signal,
    async pauseWhile(work) {
      pauses += 1;
      if (pauses === 1) {
        cancel();
        remainingMs -= clock.monotonic() - startedAt;
      }
      return await work.finally(resume);
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
