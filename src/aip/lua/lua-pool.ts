import type { LuaJob, LuaOutcome } from "./lua-protocol.ts";
import { type AnswerCall, type LuaLimits, type LuaThread, startLuaThread } from "./lua-thread.ts";

/** Threads for the scripts of one run. */
export interface LuaPool {
  /** Executes a job in a free thread; starts a thread or waits when there is none. See {@link LuaThread}. */
  execute(job: LuaJob, answer: AnswerCall, signal: AbortSignal): Promise<LuaOutcome>;
  /** Ends all threads. */
  close(): Promise<void>;
}

/** Threads kept for the next run, because starting one takes longer than most scripts. */
const spares: LuaThread[] = [];
const maxSpares = 2;
const spareMs = 5000;

/** Creates a pool. Starts a thread when all others are busy, up to `limit`. */
export function createLuaPool(limits: LuaLimits, limit: () => number): LuaPool {
  const threads = new Set<LuaThread>();
  const free: LuaThread[] = [];
  const waiting: (() => void)[] = [];

  async function acquire(): Promise<LuaThread> {
    for (;;) {
      const found = free.pop();
      if (found !== undefined) return found;
      if (threads.size < Math.max(limit(), 1)) {
        const thread = takeSpare(limits) ?? startLuaThread(limits);
        threads.add(thread);
        return thread;
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
      const kept = limits.memoryBytes === undefined && limits.seconds === undefined ? free : [];
      const spare = kept.slice(0, maxSpares - spares.length);
      for (const thread of spare) keepSpare(thread);
      const others = [...threads].filter((thread) => !spare.includes(thread));
      await Promise.all(others.map((thread) => thread.close()));
    },
  };
}

/** Only a thread with the default limits suits any run. */
function takeSpare({ memoryBytes, seconds }: LuaLimits): LuaThread | undefined {
  return memoryBytes === undefined && seconds === undefined ? spares.pop() : undefined;
}

/** Keeps a thread and ends it when no run takes it in time. It never keeps the process alive. */
function keepSpare(thread: LuaThread): void {
  spares.push(thread);
  setTimeout(() => {
    const at = spares.indexOf(thread);
    if (at === -1) return;
    spares.splice(at, 1);
    void thread.close();
  }, spareMs).unref();
}
