import { CadreError } from "../../../errors.ts";

/** The properties of a server and a schema that {@link requireUsableServer} checks. */
export interface ServerState {
  /** `server_version_num`, such as 150004. */
  version: number;
  /** The encoding of the database. */
  encoding: string;
  /** The schema version; 0 = there are no tables. */
  schemaVersion: number;
  /** Whether another server wrote the events: the database was restored from a backup. */
  isRestored: boolean;
}

/** The first version with 64-bit transaction ids. */
const minVersion = 13;

/**
 * Refuses a server that Cadre cannot use.
 *
 * @throws CadreError `registry-unavailable`.
 */
export function requireUsableServer({ version, encoding }: ServerState, name: string): void {
  const major = Math.floor(version / 10_000);
  if (major < minVersion) {
    throw unusable(
      `The server of the registry ${name} is PostgreSQL ${major}; expected ${minVersion} or newer. Upgrade it, or use another server.`,
    );
  }
  if (encoding !== "UTF8") {
    throw unusable(
      `The database of the registry ${name} has the encoding ${encoding}; expected UTF8. Create one with \`createdb --encoding=UTF8 --template=template0\`.`,
    );
  }
}

/**
 * Refuses a schema that this Cadre cannot use; `known` is the number of its migrations.
 *
 * @throws CadreError `registry-unavailable`, or `registry-newer` for a schema of a newer Cadre.
 */
export function requireCurrentSchema(
  { schemaVersion, isRestored }: ServerState,
  known: number,
  name: string,
): void {
  refuseNewer(schemaVersion, known, name);
  if (schemaVersion === 0) {
    throw unusable(
      `The registry ${name} has no tables yet. Create them with \`cadre db migrate\`.`,
    );
  }
  if (schemaVersion < known) {
    throw unusable(
      `The registry ${name} has schema version ${schemaVersion}; this Cadre needs ${known}. Migrate it with \`cadre db migrate\`.`,
    );
  }
  if (isRestored) {
    throw unusable(
      `The registry ${name} was restored from a backup of another server. Adapt it with \`cadre db migrate\`.`,
    );
  }
}

/** @throws CadreError `registry-newer` for a schema of a newer Cadre. */
export function refuseNewer(schemaVersion: number, known: number, name: string): void {
  if (schemaVersion <= known) return;
  const message = `The registry ${name} has schema version ${schemaVersion}; this Cadre reads up to ${known}. Use the newer Cadre that migrated it, also in place of processes that run already, or another schema.`;
  throw new CadreError("registry-newer", message, {
    details: { registry: name, version: schemaVersion },
  });
}

function unusable(message: string): CadreError {
  return new CadreError("registry-unavailable", message);
}
