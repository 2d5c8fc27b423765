import { isRecord, type JsonValue } from "../source/json.ts";
import { plainKey } from "../source/plain-key.ts";
import { restrictionKeys } from "./restriction-keys.ts";

/** A list of tools that stands in a map of its own, such as `capabilities: { allowed_tools: [Read] }`. */
export interface NestedRestriction {
  /** The field it means. */
  field: "tools" | "disallowedTools";
  key: string;
  value: JsonValue;
}

const denying: ReadonlySet<string> = new Set([
  ...(restrictionKeys.disallowedTools ?? []).map(plainKey),
  "restrictedtools",
]);

/** The lists in a map whose keys say what they are about; one that is only called `tools` could be anything. */
export function findNestedRestrictions(map: JsonValue): NestedRestriction[] {
  if (!isRecord(map)) return [];
  return Object.entries(map).flatMap(([key, value]): NestedRestriction[] => {
    const plain = plainKey(key);
    if (plain === "allowedtools") return [{ field: "tools", key, value }];
    return denying.has(plain) ? [{ field: "disallowedTools", key, value }] : [];
  });
}
