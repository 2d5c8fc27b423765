/** What one execution took. */
export interface Measurement {
  wallMs: number;
  cpuMs: number;
  /** The most memory the process had, in MiB. */
  peakMiB: number;
}

/**
 * Does `work` twice: the first time lets the JIT warm up and shows how much memory doing it once takes, the second is
 * timed.
 */
export async function measure(work: () => Promise<void>): Promise<Measurement> {
  await work();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  await work();
  const wallMs = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000, peakMiB };
}
