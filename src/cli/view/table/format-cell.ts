/** Cells of lists. A terminal is narrow, so they are shorter there than in the output for a program. */

import { shortRunId } from "../../../short-run-id.ts";
import { formatTime } from "../format-value.ts";

/** Formats the id of a run; every command accepts the short one. `columns` is `Infinity` where the output is not a terminal. */
export function formatIdCell(id: string, columns: number): string {
  return Number.isFinite(columns) ? shortRunId(id) : id;
}

const monthName = new Intl.DateTimeFormat("en", { month: "short" });

/** Formats a time; on a terminal as `23:15` of the day of `now`, `21 Nov` of its year, or `Nov 2025`. */
export function formatTimeCell(at: number, columns: number, now: number = Date.now()): string {
  if (!Number.isFinite(columns)) return formatTime(at);
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return formatTime(at).slice(11, 16);
  const month = monthName.format(date);
  const isThisYear = date.getFullYear() === today.getFullYear();
  return isThisYear ? `${date.getDate()} ${month}` : `${month} ${date.getFullYear()}`;
}
