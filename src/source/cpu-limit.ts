import type { Worker } from "node:worker_threads";

/** The interval at which a worker's CPU time is read, in milliseconds. */
const lookMs = 100;

/** A limit of a worker's CPU time. */
export interface CpuLimit {
  /** Aborts when the worker has reached the limit. */
  signal: AbortSignal;
  stop(): void;
}

/**
 * Caps the CPU time of `worker`, starting now, in milliseconds. CPU time does not depend on the load of the machine.
 */
export function limitCpu(worker: Worker, limitMs: number): CpuLimit {
  const spent = new AbortController();
  let before: NodeJS.CpuUsage | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // A blocked worker answers only when it continues.
    if (isLooking) return;
    isLooking = true;
    const now = await worker.cpuUsage().finally(() => (isLooking = false));
    before ??= now;
    const usedMicroseconds = now.user - before.user + now.system - before.system;
    if (usedMicroseconds >= limitMs * 1000) spent.abort();
  };
  // A worker that has not started or has ended has no CPU time to read. Its end is reported elsewhere.
  const timer = setInterval(() => void look().catch(() => undefined), Math.min(lookMs, limitMs));
  return { signal: spent.signal, stop: () => clearInterval(timer) };
}
