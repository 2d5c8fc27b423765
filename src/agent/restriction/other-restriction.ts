import { isRecord, type JsonValue } from "../../source/json.ts";
import { plainKey } from "../../source/plain-key.ts";
import { restrictionKeys } from "./restriction-keys.ts";

/** What a key that is no field of a format says about what the agent may do. */
export interface OtherRestriction {
  /** The field it means. */
  field: string;
  /** Where it stands below that key. */
  path: readonly string[];
  value: JsonValue;
}

/** The fields that are meant wherever their keys stand. A list that is only called `tools` could be anything there. */
const meantAnywhere = ["disallowedTools", "readOnly", "permissionMode", "sandboxMode"] as const;

const fieldsByKey: ReadonlyMap<string, string> = new Map([
  ["allowedtools", "tools"],
  ["restrictedtools", "disallowedTools"],
  ...meantAnywhere.flatMap((field) =>
    (restrictionKeys[field] ?? []).map((key): [string, string] => [plainKey(key), field]),
  ),
]);

/** Restrictions that people write under keys of their own: `sandbox: read-only`, `capabilities: { allowed_tools: [Read] }`. */
export function findOtherRestrictions(value: JsonValue): OtherRestriction[] {
  if (typeof value === "string" && /^read[-_ ]?only$/i.test(value.trim()))
    return [{ field: "readOnly", path: [], value: true }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): OtherRestriction[] => {
    const field = isRuleMap(key, inner) ? "permissions" : fieldsByKey.get(plainKey(key));
    return field === undefined ? [] : [{ field, path: [key], value: inner }];
  });
}

/** `settings: { permissions: { deny: [Bash] } }`; other things are called `permissions`, too. */
function isRuleMap(key: string, value: JsonValue): boolean {
  return plainKey(key) === "permissions" && isRecord(value) && ("deny" in value || "ask" in value);
}
