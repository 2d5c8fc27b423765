import { plainKey } from "../source/plain-key.ts";

type Keys = Readonly<Record<string, readonly string[]>>;

/**
 * Keys that restrict an agent, which people write in files of every format, whether its own program has them or not. Passed
 * over, they would give more than was asked for. The lower-case spellings are nobody's: each spelling in use is reported as
 * not being the usual one.
 */
export const restrictionKeys: Keys = {
  tools: ["tools", "allowedtools"],
  disallowedTools: [
    "disallowedTools",
    "deniedtools",
    "denytools",
    "blockedtools",
    "forbiddentools",
    "excludedtools",
    "excludetools",
    "disabledtools",
  ],
  readOnly: ["readonly"],
};

/** The fields that restrict: what is doubtful about one is an error. */
const restricting: ReadonlySet<string> = new Set([
  ...Object.keys(restrictionKeys),
  "permission",
  "permissions",
  "permissionMode",
]);

/** Whether a field says what an agent may do. */
export function isRestricting(field: string): boolean {
  return restricting.has(field);
}

/** The keys of the restricting fields of a format, as {@link plainKey} gives them. */
export function strictKeysOf(keysOfFields: Keys): ReadonlySet<string> {
  const entries = Object.entries(keysOfFields).filter(([field]) => isRestricting(field));
  return new Set(entries.flatMap(([, keys]) => keys.map((key) => plainKey(key))));
}
