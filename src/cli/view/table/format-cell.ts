/** Cells of lists. A terminal is narrow, so they are shorter there than in the output for a program. */

import { shortRunId } from "../../../short-run-id.ts";
import { formatTime } from "../format-value.ts";

/** Formats the id of a run; every command accepts the short one. `columns` is `Infinity` where the output is not a terminal. */
export function formatIdCell(id: string, columns: number): string {
  return Number.isFinite(columns) ? shortRunId(id) : id;
}

/** Formats a time; on a terminal as `23:15:16` of the day of `now`, `11-21 23:15` of its year, or `2025-11-21`. */
export function formatTimeCell(at: number, columns: number, now: number = Date.now()): string {
  const whole = formatTime(at);
  if (!Number.isFinite(columns)) return whole;
  const today = formatTime(now);
  if (whole.slice(0, 10) === today.slice(0, 10)) return whole.slice(11);
  return whole.slice(0, 4) === today.slice(0, 4) ? whole.slice(5, 16) : whole.slice(0, 10);
}
