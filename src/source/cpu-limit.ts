import type { Worker } from "node:worker_threads";

/** The interval at which a worker's CPU time is read, in milliseconds. */
const readIntervalMs = 100;

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
  let isReading = false;
  const readUsage = async (): Promise<void> => {
    // A blocked worker answers only when it continues.
    if (isReading) return;
    isReading = true;
    const now = await worker.cpuUsage().finally(() => (isReading = false));
    before ??= now;
    const usedMicroseconds = now.user - before.user + now.system - before.system;
    if (usedMicroseconds >= limitMs * 1000) spent.abort();
  };
  // A worker that has not started or has ended has no CPU time to read. Its end is reported elsewhere.
  const timer = setInterval(
    () => void readUsage().catch(() => undefined),
    Math.min(readIntervalMs, limitMs),
  );
  return { signal: spent.signal, stop: () => clearInterval(timer) };
}
