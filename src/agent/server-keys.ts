import type { JsonObject, JsonValue } from "../source/json.ts";
import { plainKey } from "../source/plain-key.ts";

/** The names that programs have for a server's tools that are used, as `plainKey` gives them. */
const allowKeys = new Set(["allow", "tools", "enabledtools", "includetools", "allowedtools"]);

/** The names for those that are not. */
const denyKeys = new Set([
  "deny",
  "disabledtools",
  "excludetools",
  "excludedtools",
  "disallowedtools",
  "deniedtools",
  "blockedtools",
]);

/** All other keys of a server that are read. */
const otherKeys = new Set(
  "type enabled disabled command args url httpurl env environment cwd headers httpheaders envhttpheaders bearertokenenvvar environmentkeys envkeys envvars description timeout timeoutseconds tooltimeoutsec".split(
    " ",
  ),
);

/** The lists of tools of a server's configuration, whatever they are called. */
export function readToolLists(config: JsonObject): {
  allow: JsonValue | undefined;
  deny: JsonValue | undefined;
} {
  return { allow: byName(config, allowKeys), deny: byName(config, denyKeys) };
}

/** The keys of a server's configuration that nothing here reads. */
export function unreadKeys(config: JsonObject): string[] {
  return Object.keys(config).filter(
    (key) => ![allowKeys, denyKeys, otherKeys].some((keys) => keys.has(plainKey(key))),
  );
}

function byName(config: JsonObject, names: ReadonlySet<string>): JsonValue | undefined {
  return Object.entries(config).find(
    ([key, value]) => names.has(plainKey(key)) && value !== null,
  )?.[1];
}
