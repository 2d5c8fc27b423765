import { findJsonProblems } from "./json-problem.ts";
import type { JsonValue } from "./json.ts";

/** A value as plain JSON, or what keeps it from being that. */
export type PlainValue = { value: JsonValue } | { problem: string };

/**
 * Turns what code returned into JSON of at most `maxCharacters`, roughly; keys without a value are dropped. `name` is what
 * the value is called.
 */
export function toPlainValue(value: unknown, maxCharacters: number, name: string): PlainValue {
  if (measure(value, maxCharacters, []) > maxCharacters) {
    return { problem: `more than ${maxCharacters} characters` };
  }
  const [problem] = findJsonProblems(value, name);
  if (problem !== undefined) return { problem };
  return { value: JSON.parse(JSON.stringify(value)) as JsonValue };
}

/** The size of a value, counted only until it is more than `most`: shared parts can multiply without end. */
function measure(value: unknown, most: number, above: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  // Cycles and depth are told by another check.
  if (ArrayBuffer.isView(value) || above.includes(value) || above.length > 100) return 0;
  // A list may be long and have next to nothing in it.
  let size = Array.isArray(value) ? value.length + 2 : 2;
  above.push(value);
  for (const [key, item] of size > most ? [] : Object.entries(value)) {
    size += (Array.isArray(value) ? 0 : key.length + 4) + measure(item, most - size, above);
    if (size > most) break;
  }
  above.pop();
  return size;
}
