import type { JsonValue } from "../json.ts";
import { isRecord } from "../json.ts";

/** The nesting and the number of values above which the YAML reader reads the text instead, because it knows the exact limits. */
const maxDepth = 50;
const maxValues = 10_000;

/**
 * Reads a text that is JSON exactly as `JSON.stringify` writes it, the form of files written by programs; `undefined`
 * for any other text. Such a text has no errors that only the YAML reader finds, such as repeated keys, and reading it
 * takes a hundredth of the time.
 */
export function readWrittenJson(text: string): JsonValue | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isSmall(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isSmall(value: JsonValue): boolean {
  let count = 0;
  const visit = (inner: JsonValue, depth: number): boolean => {
    count += 1;
    if (count > maxValues || depth > maxDepth) return false;
    if (Array.isArray(inner)) return inner.every((item) => visit(item, depth + 1));
    return !isRecord(inner) || Object.values(inner).every((item) => visit(item, depth + 1));
  };
  return visit(value, 0);
}
