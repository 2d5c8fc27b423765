import { randomUUID } from "node:crypto";
import { createConnections } from "../../../registry/postgres/connection/connections.ts";
import { loadPg } from "../../../registry/postgres/connection/load-pg.ts";
import {
  type PostgresOptions,
  readPostgresOptions,
} from "../../../registry/postgres/connection/postgres-options.ts";
import { type Dbos, findDbos } from "./load-dbos.ts";
import { silent } from "./silent.ts";
import { queuePlace, toQueueError } from "./queue-place.ts";

/**
 * Creates or migrates the tables of the queue of a registry, as `cadre db migrate` does. Processes that do this at the same time
 * wait for each other. Resolves with `false` when DBOS Transact is not installed.
 *
 * @throws CadreError `registry-unavailable`.
 */
export async function migrateQueue(
  options: Pick<PostgresOptions, "url" | "schema">,
): Promise<boolean> {
  const place = readPostgresOptions(options);
  const { schema, name } = queuePlace(place);
  const dbos = await findDbos();
  if (dbos === undefined) return false;
  try {
    const { connect } = await createConnections(place);
    const client = await connect();
    try {
      await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`cadre ${schema}`]);
      await migrate(dbos, place.url, schema);
    } finally {
      // Releases the lock.
      await client.end();
    }
    return true;
  } catch (error) {
    throw toQueueError(error, name);
  }
}

/** `DBOS.migrate` writes to standard output, which is the command's; a start with migrations writes to our logger. */
async function migrate({ DBOS }: Dbos, url: string, schema: string): Promise<void> {
  if (DBOS.isInitialized()) return await DBOS.migrate(url, { schemaName: schema });
  const pg = await loadPg();
  // A pool of DBOS's own sends statements in a way that `pg` warns of.
  const pool = new pg.Pool({ connectionString: url, application_name: "cadre queue", max: 2 });
  pool.on("error", () => undefined);
  try {
    DBOS.setConfig({
      name: "cadre",
      systemDatabaseUrl: url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: schema,
      runMigrations: true,
      useListenNotify: false,
      executorID: randomUUID(),
      listenQueues: ["none"],
      logger: silent,
    });
    await DBOS.launch();
    await DBOS.shutdown({ deregister: true });
  } finally {
    if (!pool.ended) await pool.end();
  }
}
