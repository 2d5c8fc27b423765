import { isRecord, type JsonValue } from "../../source/json.ts";
import { plainKey } from "../../source/yaml/plain-key.ts";
import { restrictionKeys } from "./restriction-keys.ts";

/** A restriction below a key that is not a field of the format. */
export interface OtherRestriction {
  /** The field with the same meaning. */
  field: string;
  /** Its path below that key. */
  path: readonly string[];
  value: JsonValue;
}

/** Fields whose keys have the same meaning at any depth. A nested `tools` alone could mean anything. */
const meantAnywhere = ["disallowedTools", "readOnly", "permissionMode", "sandboxMode"] as const;

const fieldsByKey: ReadonlyMap<string, string> = new Map([
  ["allowedtools", "tools"],
  ["restrictedtools", "disallowedTools"],
  ...meantAnywhere.flatMap((field) =>
    (restrictionKeys[field] ?? []).map((key): [string, string] => [plainKey(key), field]),
  ),
]);

/** Finds restrictions below other keys: `sandbox: read-only`, `capabilities: { allowed_tools: [Read] }`. */
export function findOtherRestrictions(value: JsonValue): OtherRestriction[] {
  if (typeof value === "string" && /^read[-_ ]?only$/i.test(value.trim()))
    return [{ field: "readOnly", path: [], value: true }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): OtherRestriction[] => {
    const field = isRuleMap(key, inner) ? "permissions" : fieldsByKey.get(plainKey(key));
    return field === undefined ? [] : [{ field, path: [key], value: inner }];
  });
}

/** Reports whether a nested `permissions` holds rules, as in `settings: { permissions: { deny: [Bash] } }`. */
function isRuleMap(key: string, value: JsonValue): boolean {
  return plainKey(key) === "permissions" && isRecord(value) && ("deny" in value || "ask" in value);
}
