import { CadreError } from "../../../errors.ts";

/** The options of {@link postgres}. */
export interface PostgresOptions {
  /** The address of the database: `postgresql://user:password@host:5432/name`. */
  url: string;
  /** The schema of the tables. Default `cadre`. */
  schema?: string;
  /** Whether missing tables are created, and old ones migrated, on first use, as `cadre db migrate` does. Default false. */
  migrate?: boolean;
  /** The maximum number of connections, apart from the one that listens. Default 4. */
  connections?: number;
  /** How long to retry while a server that was reached before is unreachable, in seconds. Default 60. */
  outageSeconds?: number;
}

/** Checked options with defaults. */
export interface CheckedPostgresOptions extends Required<PostgresOptions> {
  /** The schema as an SQL identifier. */
  quoted: string;
  /** The address without the password, and the schema, for messages. */
  name: string;
}

const example = "postgresql://user:password@host:5432/name";

/**
 * Checks the options and fills in the defaults.
 *
 * @throws CadreError `invalid-argument`.
 */
export function readPostgresOptions(options: PostgresOptions): CheckedPostgresOptions {
  const { url, schema = "cadre", migrate = false, connections = 4, outageSeconds = 60 } = options;
  const address = parseAddress(url);
  // Channel names are limited to 63 bytes and contain the schema.
  if (!/^[a-z_][a-z0-9_]{0,49}$/.test(schema) || schema.startsWith("pg_")) {
    throw invalid(
      "schema",
      "a name of at most 50 small letters, digits and _, not starting with pg_ or a digit",
      schema,
    );
  }
  if (typeof migrate !== "boolean") throw invalid("migrate", "true or false", migrate);
  if (!Number.isInteger(connections) || connections < 1) {
    throw invalid("connections", "a whole number from 1", connections);
  }
  if (!Number.isFinite(outageSeconds) || outageSeconds < 0) {
    throw invalid("outageSeconds", "a number of seconds from 0", outageSeconds);
  }
  const quoted = `"${schema}"`;
  const place = { url, schema, migrate, connections, outageSeconds, quoted };
  return { ...place, name: `${describeAddress(address)} (schema ${schema})` };
}

/** Errors do not repeat the address, because it may contain a password. */
function parseAddress(url: unknown): URL {
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (address !== undefined && /^postgres(ql)?:$/.test(address.protocol)) return address;
  const came = address === undefined ? "no URL" : `one that starts with ${address.protocol}`;
  const message = `Expected the \`url\` of a PostgreSQL registry to be an address such as ${example}; got ${came}.`;
  throw new CadreError("invalid-argument", message);
}

function describeAddress({ username, host, pathname, searchParams }: URL): string {
  const user = username === "" ? "" : `${username}@`;
  const socket = searchParams.get("host");
  return `postgresql://${user}${host}${pathname}${socket === null ? "" : `?host=${socket}`}`;
}

function invalid(name: string, expected: string, came: unknown): CadreError {
  const message = `Expected the option \`${name}\` of a PostgreSQL registry to be ${expected}; got ${JSON.stringify(came)}.`;
  return new CadreError("invalid-argument", message);
}
