import { createHash } from "node:crypto";
import { CadreError } from "../errors.ts";
import type { ExtensionConfig, ExtensionOrigin, StoredExtension } from "../run/extension-config.ts";
import { isRecord } from "../source/json.ts";

/**
 * The configurations of the extensions that runs of this process have. They are kept in memory only: they may hold secrets.
 * Equal names and digests do not mean equal secrets, so the key is the object that stands in the run's spec.
 */
const configs = new WeakMap<StoredExtension, ExtensionConfig>();

/** The form of an extension that may stand in a journal. {@link configOf} gives its configuration back. */
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
    ...(description !== undefined && { description }),
  };
  configs.set(stored, config);
  return stored;
}

/** The extension as a child gets it. What the parent brought along is, for its child, something the parent has. */
export function inheritExtension(stored: StoredExtension): StoredExtension {
  return storeExtension(configOf(stored), stored.origin);
}

/**
 * The configuration of an extension that this process stored, or found again for a recorded run.
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
 * Hex SHA-256 of what an extension starts or reaches and which of its tools count. Values of variables and headers,
 * and what follows the path of a URL, are left out: they may be secrets, and a new token is no other server.
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

/** Hex SHA-256 of JSON; the order of keys does not count. */
export function digestOf(value: object): string {
  return createHash("sha256").update(serialize(value)).digest("hex");
}

/** A URL without its login, query and fragment; one with variables in it need not be a URL yet. */
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
