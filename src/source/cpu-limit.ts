import type { Worker } from "node:worker_threads";

/** How often it is looked at what a worker has used, in milliseconds. */
const lookMs = 100;

/** A bound of what a worker computes. */
export interface CpuLimit {
  /** Aborted when the worker has used that much. */
  signal: AbortSignal;
  stop(): void;
}

/**
 * Bounds what `worker` computes from now on, in milliseconds of its own CPU time: what a machine does besides is not its fault.
 */
export function limitCpu(worker: Worker, limitMs: number): CpuLimit {
  const spent = new AbortController();
  let before: NodeJS.CpuUsage | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // One that waits answers when it goes on.
    if (isLooking) return;
    isLooking = true;
    const now = await worker.cpuUsage().finally(() => (isLooking = false));
    before ??= now;
    const usedMicroseconds = now.user - before.user + now.system - before.system;
    if (usedMicroseconds >= limitMs * 1000) spent.abort();
  };
  // One that has not begun, or has ended, cannot be asked; whoever waits for it hears of its end elsewhere.
  const timer = setInterval(() => void look().catch(() => undefined), Math.min(lookMs, limitMs));
  return { signal: spent.signal, stop: () => clearInterval(timer) };
}
