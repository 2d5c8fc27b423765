/** What one execution took. */
export interface Measurement {
  wallMs: number;
  cpuMs: number;
  /** The most memory the process had, in MiB. */
  peakMiB: number;
}

/** Does `work` once and measures it. */
export async function measure(work: () => Promise<void>): Promise<Measurement> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  await work();
  const wallMs = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs, cpuMs: (user + system) / 1000, peakMiB: process.resourceUsage().maxRSS / 1024 };
}
