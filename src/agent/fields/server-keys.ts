import type { JsonObject, JsonValue } from "../../source/json.ts";
import { plainKey } from "../../source/yaml/plain-key.ts";

/** The keys for allowed tools in programs' server configurations, in the form of `plainKey`. */
const allowKeys = new Set(["allow", "tools", "enabledtools", "includetools", "allowedtools"]);

/** The keys for denied tools. */
const denyKeys = new Set([
  "deny",
  "disabledtools",
  "excludetools",
  "excludedtools",
  "disallowedtools",
  "deniedtools",
  "blockedtools",
]);

/** The other keys that are read. */
const otherKeys = new Set(
  "type enabled disabled command args url httpurl env environment cwd headers httpheaders envhttpheaders bearertokenenvvar environmentkeys envkeys envvars description timeout timeoutseconds tooltimeoutsec".split(
    " ",
  ),
);

/** Returns the tool lists of a server's configuration, under any of their keys. */
export function readToolLists(config: JsonObject): {
  allow: JsonValue | undefined;
  deny: JsonValue | undefined;
} {
  return { allow: byName(config, allowKeys), deny: byName(config, denyKeys) };
}

/** Returns the keys of a server's configuration that are not read. */
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
