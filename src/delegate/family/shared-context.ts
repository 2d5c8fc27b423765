import type { JsonObject } from "../../source/json.ts";

/** The maximum size of what one delegation shares, in bytes of JSON. */
const maxBytes = 1024 * 1024;

/** The parsed shared context of a delegation. */
export interface OwnContext {
  values: JsonObject;
  /** Keys that refer to the result of another run, with that run's label. */
  labels: readonly string[];
}

/** Separates the values in a delegation's `sharedContext` from its references, written `{ "$label": "reference" }`. */
export function readOwnContext(shared: JsonObject): OwnContext {
  const entries = Object.entries(shared);
  const values = entries.filter((entry) => referredLabel(entry) === null);
  const labels = entries.flatMap((entry) => referredLabel(entry) ?? []);
  // This also makes a copy, so that later changes by the caller have no effect.
  return { values: JSON.parse(JSON.stringify(Object.fromEntries(values))) as JsonObject, labels };
}

/** Returns the problems of a delegation's `sharedContext`, which is JSON; empty when it is valid. */
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
    .map((label) => `"${label}" is set twice: as a value, and as the reference "$${label}"`);
}

function referredLabel([key, value]: [string, unknown]): string | null {
  return value === "reference" && key.startsWith("$") && key.length > 1 ? key.slice(1) : null;
}
