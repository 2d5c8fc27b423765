/**
 * Returns the seconds from one moment to another, both in epoch milliseconds. They are 0 when the clock of the later moment is behind:
 * another process may have created the run, and a clock can be set back.
 */
export function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
