import type { LuaJob, LuaOutcome } from "./lua-protocol.ts";
import { type AnswerCall, type LuaLimits, type LuaThread, startLuaThread } from "./lua-thread.ts";

/** Threads for the scripts of one run. */
export interface LuaPool {
  /** Executes a job in a thread that is free; starts one, or waits for one. See {@link LuaThread}. */
  execute(job: LuaJob, answer: AnswerCall, signal: AbortSignal): Promise<LuaOutcome>;
  /** Ends all threads. */
  close(): Promise<void>;
}

/** Makes a pool. A thread starts when all others are busy, up to `most`. */
export function createLuaPool(limits: LuaLimits, most: () => number): LuaPool {
  const threads = new Set<LuaThread>();
  const free: LuaThread[] = [];
  const waiting: (() => void)[] = [];

  async function acquire(): Promise<LuaThread> {
    for (;;) {
      const found = free.pop();
      if (found?.isAlive() === true) return found;
      if (threads.size < Math.max(most(), 1)) {
        const started = startLuaThread(limits);
        threads.add(started);
        return started;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  function release(thread: LuaThread): void {
    if (thread.isAlive()) free.push(thread);
    else threads.delete(thread);
    waiting.shift()?.();
  }

  return {
    async execute(job, answer, signal) {
      const thread = await acquire();
      try {
        return await thread.execute(job, answer, signal);
      } finally {
        release(thread);
      }
    },
    async close() {
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}
