import { isRecord } from "../../source/json.ts";

/** The maximum requested wait, in milliseconds. After a longer one the call fails. */
export const maxRetryAfterMs = 120_000;

/**
 * Returns the wait that a provider's error requests, in milliseconds, or `null`. It reads the headers `retry-after-ms`
 * and `retry-after` (seconds or a date), and Google's `retryDelay` in the body.
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

/** Measures from the response's `date` if it has one, because this machine's clock may be wrong. */
function untilDate(value: unknown, date: unknown): number | null {
  const at = parseDate(value);
  return Number.isNaN(at) ? null : Math.max(0, at - (parseDate(date) || Date.now()));
}

function parseDate(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}
