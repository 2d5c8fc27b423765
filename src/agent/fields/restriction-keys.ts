import { plainKey } from "../../source/yaml/plain-key.ts";

type Keys = Readonly<Record<string, readonly string[]>>;

/**
 * The keys of every program that restrict an agent. Files of every format contain them, whether or not their own program reads
 * them. Ignoring one would give the agent more than intended. Spellings in lower case belong to no program; reading one is
 * reported.
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

/** The fields that restrict an agent. A doubtful value in one is an error. */
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

/** Reports whether a field restricts an agent. */
export function isRestricting(field: string): boolean {
  return restricting.has(field);
}

/** Returns the keys of a format's restricting fields, in the form of {@link plainKey}. */
export function strictKeysOf(keysOfFields: Keys): ReadonlySet<string> {
  const entries = Object.entries(keysOfFields).filter(([field]) => isRestricting(field));
  return new Set(entries.flatMap(([, keys]) => keys.map((key) => plainKey(key))));
}
