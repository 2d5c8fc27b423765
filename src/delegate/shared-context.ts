import type { JsonObject } from "../source/json.ts";

/** The most JSON one delegation may share, in bytes. */
const maxBytes = 1024 * 1024;

/** What a delegation shares, taken apart. */
export interface OwnContext {
  values: JsonObject;
  /** Keys that stand for the result of another run; each is the label of that run. */
  labels: readonly string[];
}

/** Tells the values of a delegation's `sharedContext` from the references in it, written `{ "$label": "reference" }`. */
export function readOwnContext(shared: JsonObject): OwnContext {
  const entries = Object.entries(shared);
  const values = entries.filter((entry) => referredLabel(entry) === null);
  const labels = entries.flatMap((entry) => referredLabel(entry) ?? []);
  // Also a copy: what the caller does with its object later is no business of the run's.
  return { values: JSON.parse(JSON.stringify(Object.fromEntries(values))) as JsonObject, labels };
}

/** What is wrong with a delegation's `sharedContext`, which is JSON; empty when nothing is. */
export function checkOwnContext(shared: JsonObject): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(shared));
  if (bytes > maxBytes) {
    return [
      `at most ${maxBytes} bytes of JSON are expected, got ${bytes}; write it to a file and share the path`,
    ];
  }
  const { values, labels } = readOwnContext(shared);
  return labels
    .filter((label) => Object.hasOwn(values, label))
    .map((label) => `"${label}" is there twice: as a value, and as the reference "$${label}"`);
}

function referredLabel([key, value]: [string, unknown]): string | null {
  return value === "reference" && key.startsWith("$") && key.length > 1 ? key.slice(1) : null;
}
