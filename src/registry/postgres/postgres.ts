import type { RegistrySource } from "../registry-source.ts";
import { openPostgresRegistry } from "./postgres-registry.ts";
import { type PostgresOptions, readPostgresOptions } from "./connection/postgres-options.ts";

/**
 * Returns the source of registries in a PostgreSQL schema, for the `registry` option of `createCadre`. Processes on several
 * machines may share the schema. It connects on first use.
 *
 * @throws CadreError `invalid-argument` for an option with a wrong value.
 */
export function postgres(options: PostgresOptions): RegistrySource {
  const address = readPostgresOptions(options);
  return { openRegistry: (formerOwners) => openPostgresRegistry({ address, formerOwners }) };
}
