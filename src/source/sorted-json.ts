import { isRecord } from "./json.ts";

/** Returns `value` as JSON with sorted keys, so that equal values have equal texts regardless of their original order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

/** Returns a copy of a JSON value whose objects have sorted keys. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
