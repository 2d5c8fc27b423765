import { isRecord } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";

const longest = 60;

/** Describes a value in a few words for a message: `a list of 3`, `` `true` ``, `a table with a, b`. */
export function describeJson(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value))
    return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (isRecord(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? "an empty table" : `a table with ${cut(keys.join(", "))}`;
  }
  if (typeof value === "string")
    return value === "" ? "an empty text" : `the text \`${cut(value)}\``;
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return `the ${typeof value} \`${cut(`${value as number | boolean | bigint}`)}\``;
}

/** Returns a place in nested data for a message: `sub_agents_next[0].on[1]`. */
export function showKeyPath([first, ...rest]: KeyPath): string {
  return `${first}${rest.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")}`;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
