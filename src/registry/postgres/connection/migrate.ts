import { createConnections } from "./connections.ts";
import { migrateSchema } from "./migrate-schema.ts";
import { toPostgresError } from "./postgres-error.ts";
import { refuseTransactionPooling } from "./refuse-transaction-pooling.ts";
import { type PostgresOptions, readPostgresOptions } from "./postgres-options.ts";

/** The result of {@link migratePostgres}. */
export interface MigratedSchema {
  /** The address without the password, and the schema. */
  name: string;
  /** The earlier schema version; 0 = there were no tables. */
  from: number;
  /** The new schema version. */
  to: number;
}

/**
 * Creates the schema and its tables, or migrates those of an earlier version. Processes that migrate at the same time wait for
 * each other.
 *
 * @throws CadreError `registry-unavailable`, or `registry-newer`. The schema is then unchanged.
 */
export async function migratePostgres(
  options: Pick<PostgresOptions, "url" | "schema">,
): Promise<MigratedSchema> {
  const checked = readPostgresOptions(options);
  try {
    const { connect, pool } = await createConnections(checked);
    const client = await connect();
    try {
      await refuseTransactionPooling(client, pool, checked.name);
      return { name: checked.name, ...(await migrateSchema(client, checked)) };
    } finally {
      await client.end();
      await pool.end();
    }
  } catch (error) {
    throw toPostgresError(error, checked.name);
  }
}
