import { isRecord } from "../source/json.ts";

/** A provider that asks for more is not going to answer in the time a run has. */
export const longestRetryAfterMs = 120_000;

/**
 * How long a provider's error asks to wait, in milliseconds, or `null`: the headers `retry-after-ms` and `retry-after`
 * (seconds or a date), and Google's `retryDelay` in the body.
 */
export function retryAfterMs(error: unknown): number | null {
  if (typeof error !== "object" || error === null) return null;
  const { responseHeaders, responseBody } = error as Record<string, unknown>;
  const headers = isRecord(responseHeaders) ? responseHeaders : {};
  const exact = milliseconds(headers["retry-after-ms"], 1);
  if (exact !== null) return exact;
  const header = headers["retry-after"];
  const seconds = milliseconds(header, 1_000) ?? untilDate(header, headers["date"]);
  if (seconds !== null) return seconds;
  const delay = typeof responseBody === "string" ? retryDelay.exec(responseBody)?.[1] : undefined;
  return milliseconds(delay, 1_000);
}

const retryDelay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

function milliseconds(value: unknown, unit: number): number | null {
  if (typeof value !== "string" || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return null;
  return Math.ceil(Number(value) * unit);
}

/** By the provider's own clock, where it says what that shows: this machine's may be wrong. */
function untilDate(value: unknown, date: unknown): number | null {
  const at = parseDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - (parseDate(date) || Date.now()));
}

function parseDate(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
