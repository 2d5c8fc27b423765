import { findJsonProblems } from "./json-problem.ts";
import type { JsonValue } from "./json.ts";

/** A plain JSON value, or the problem with it. */
export type PlainValue = { value: JsonValue } | { problem: string };

/**
 * Converts a value returned by code to JSON of roughly at most `maxCharacters`. Drops keys with the value `undefined`.
 * `name` names the value in problems.
 */
export function toPlainValue(value: unknown, maxCharacters: number, name: string): PlainValue {
  if (measure(value, maxCharacters, []) > maxCharacters) {
    return { problem: `more than ${maxCharacters} characters` };
  }
  const [problem] = findJsonProblems(value, name);
  if (problem !== undefined) return { problem };
  return { value: JSON.parse(JSON.stringify(value)) as JsonValue };
}

/** Measures a value until its size exceeds `most`. Shared parts can multiply without end. */
function measure(value: unknown, most: number, above: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  // Another check reports cycles and depth.
  if (ArrayBuffer.isView(value) || above.includes(value) || above.length > 100) return 0;
  // A sparse array may be long and almost empty.
  let size = Array.isArray(value) ? value.length + 2 : 2;
  above.push(value);
  for (const [key, item] of size > most ? [] : Object.entries(value)) {
    size += (Array.isArray(value) ? 0 : key.length + 4) + measure(item, most - size, above);
    if (size > most) break;
  }
  above.pop();
  return size;
}
