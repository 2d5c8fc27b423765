import { plainKey } from "../../source/plain-key.ts";

type Keys = Readonly<Record<string, readonly string[]>>;

/**
 * Keys that restrict an agent, in the words of every program. People write them in files of every format, whether its own program
 * has them or not. Passed over, they would give more than was asked for. The lower-case spellings of the lists of tools are
 * nobody's: each spelling in use is reported as not being the usual one.
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
  permissionMode: ["permissionMode", "permission_mode"],
  sandboxMode: ["sandbox_mode"],
  permissionProfile: ["default_permissions"],
  permission: ["permission"],
  permissions: ["permissions"],
  policy: ["policy"],
  agents: ["agents"],
  disabled: ["disabled", "disable"],
  maxTurns: ["maxTurns", "max_turns", "steps", "maxSteps"],
  maxDepth: ["maxDepth", "max_depth"],
  budget: ["budget"],
};

/** The fields that say what an agent may do: what is doubtful about one is an error. */
const restricting: ReadonlySet<string> = new Set([
  "tools",
  "disallowedTools",
  "readOnly",
  "permissionMode",
  "sandboxMode",
  "permissionProfile",
  "permission",
  "permissions",
  "policy",
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
