import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import type { KeyPath } from "../source/place.ts";

/** What is wrong; its place is added by whoever reports it. */
export type Finding = Pick<Diagnostic, "severity" | "code" | "message" | "fix">;

/** Reports a finding about what stands under `keys`. */
export type Report = (keys: KeyPath, finding: Finding) => void;

/** A value from a file, cut for a message. */
export function describeValue(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return "a map";
  if (value === undefined || value === null) return "nothing";
  const line = String(value).replace(/\s+/g, " ");
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
