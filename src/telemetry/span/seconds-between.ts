/**
 * Returns the seconds between two moments in epoch milliseconds; 0 when the clock of the later moment is behind.
 * Another process may have created the run, and a clock can be set back.
 */
export function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
