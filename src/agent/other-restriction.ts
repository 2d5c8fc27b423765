import { isRecord, type JsonValue } from "../source/json.ts";
import { plainKey } from "../source/plain-key.ts";
import { restrictionKeys } from "./restriction-keys.ts";

/** What a key that is no field of a format says about what the agent may do. */
export interface OtherRestriction {
  /** The field it means. */
  field: "tools" | "disallowedTools" | "readOnly";
  /** Where it stands below that key. */
  path: readonly string[];
  value: JsonValue;
}

const denying: ReadonlySet<string> = new Set([
  ...(restrictionKeys.disallowedTools ?? []).map(plainKey),
  "restrictedtools",
]);

/**
 * Restrictions that people write under keys of their own: `sandbox: read-only`, `capabilities: { allowed_tools: [Read] }`. A
 * list below another key that is only called `tools` could be anything.
 */
export function findOtherRestrictions(value: JsonValue): OtherRestriction[] {
  if (typeof value === "string" && /^read[-_ ]?only$/i.test(value.trim()))
    return [{ field: "readOnly", path: [], value: true }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): OtherRestriction[] => {
    const plain = plainKey(key);
    if (plain === "allowedtools") return [{ field: "tools", path: [key], value: inner }];
    return denying.has(plain) ? [{ field: "disallowedTools", path: [key], value: inner }] : [];
  });
}
