import { createHash } from "node:crypto";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig, ExtensionOrigin, StoredExtension } from "../run/extension-config.ts";
import { isRecord } from "../source/json.ts";
import { omitUndefined } from "../omit-undefined.ts";

/**
 * The configurations of the extensions of this process's runs. They are kept only in memory, because they may contain secrets.
 * The key is the object in the run's spec, because configurations with equal names and digests may differ in their
 * secrets.
 */
const configs = new WeakMap<StoredExtension, ExtensionConfig>();

/** Converts an extension to its form in the journal. {@link configOf} returns its configuration. */
export function storeExtension(
  config: ExtensionConfig,
  origin: ExtensionOrigin,
  isOwn: boolean = false,
): StoredExtension {
  const { name, type, description } = config;
  const stored: StoredExtension = {
    name,
    origin,
    digest: digestExtension(config),
    type,
    ...(isOwn && { isOwn }),
    ...omitUndefined({ description }),
  };
  configs.set(stored, config);
  return stored;
}

/** Converts an extension for a child. An extension declared by the parent's agent is an inherited one for the child. */
export function inheritExtension(stored: StoredExtension): StoredExtension {
  return storeExtension(configOf(stored), stored.origin);
}

/**
 * Returns the configuration of an extension that this process stored, or admitted with a recorded run.
 *
 * @throws CadreError `tool-unavailable` for an extension that was only read from a journal.
 */
export function configOf(stored: StoredExtension): ExtensionConfig {
  const config = configs.get(stored);
  if (config !== undefined) return config;
  const message = `The configuration of the MCP server ${stored.name} is not in memory: the run was read from the journal and not admitted.`;
  throw new CadreError("tool-unavailable", message, { details: { extension: stored.name } });
}

/**
 * Returns the hex SHA-256 of an extension's command or URL and its tool settings. Omits the values of variables and
 * headers, and everything after the path of a URL: they may be secrets, and a new token does not make another server.
 */
export function digestExtension(config: ExtensionConfig): string {
  const { name, type, allow, deny, readOnly, environmentKeys } = config;
  const shared = { name, type, allow, deny, readOnly, environmentKeys };
  if (config.type === "streamable_http") {
    const headers = Object.keys(config.headers ?? {}).sort();
    return digestOf({ ...shared, url: withoutSecrets(config.url), headers });
  }
  const { command, args, cwd } = config;
  const environment = Object.keys(config.environment ?? {}).sort();
  return digestOf({ ...shared, command, args, cwd, environment });
}

/** Returns the hex SHA-256 of a JSON value, independent of the order of keys. */
export function digestOf(value: object): string {
  return createHash("sha256").update(serialize(value)).digest("hex");
}

/** Removes login, query and fragment from a URL, which may still contain variables. */
function withoutSecrets(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#]*@/i, "$1").replace(/[?#].*$/s, "");
}

function serialize(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
