import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientBase, Pool } from "pg";
import {
  type PostgresOptions,
  readPostgresOptions,
} from "../../../registry/postgres/connection/postgres-options.ts";
import { refuseTransactionPooling } from "../../../registry/postgres/connection/refuse-transaction-pooling.ts";
import { CadreError } from "../../../errors.ts";
import { type Dbos, findDbos } from "./load-dbos.ts";
import { silent } from "./silent.ts";
import { queueTables, toQueueError } from "./queue-tables.ts";
import { createQueuePool } from "./queue-pool.ts";

/** The connections of a migration: one holds the lock, DBOS uses the others. */
const connections = 3;
/** The pause between two attempts to get the lock, in milliseconds. */
const retryDelayMs = 100;

/** Options of {@link migrateQueue}. */
export interface MigrateQueueOptions extends Pick<PostgresOptions, "url" | "schema"> {
  /**
   * How long the migration waits for a transaction of another program, or for the end of another migration, before it fails, in
   * milliseconds. Default 60,000. PostgreSQL creates an index only when all earlier transactions of the database have ended.
   */
  lockTimeoutMs?: number;
}

/**
 * Creates or migrates the tables of the queue of a registry, as `cadre db migrate` does. Processes that do this at the same time
 * wait for each other. Resolves with `false` when DBOS Transact is not installed.
 *
 * @throws CadreError `registry-unavailable`; `invalid-argument` for an option with a wrong value.
 */
export async function migrateQueue({
  lockTimeoutMs = 60_000,
  ...options
}: MigrateQueueOptions): Promise<boolean> {
  const address = readPostgresOptions(options);
  checkTimeout(lockTimeoutMs);
  const { schema, name } = queueTables(address);
  const dbos = await findDbos();
  if (dbos === undefined) return false;
  try {
    const pool = await createQueuePool(address.url, { max: connections, lockTimeoutMs });
    try {
      const client = await pool.connect();
      // Statements on the other connections report an unreachable server.
      client.on("error", () => undefined);
      try {
        // The lock belongs to the session.
        await refuseTransactionPooling(client, pool, address.name);
        await lock(client, `cadre ${schema}`, lockTimeoutMs);
        await migrate(dbos, { url: address.url, schema, pool });
      } finally {
        // Ends the connection, which releases the lock.
        client.release(true);
      }
    } finally {
      await pool.end();
    }
    return true;
  } catch (error) {
    throw toQueueError(error, name);
  }
}

function checkTimeout(ms: unknown): void {
  if (Number.isInteger(ms) && Number(ms) >= 1) return;
  const message = `Expected \`lockTimeoutMs\` to be a whole number of milliseconds from 1; got ${JSON.stringify(ms)}.`;
  throw new CadreError("invalid-argument", message);
}

/**
 * Polls for the lock `name`. A statement that waited for it would block the lock's owner, because creating an index waits for all
 * earlier statements.
 *
 * @throws CadreError `registry-unavailable` when another process holds the lock for longer than `timeoutMs`.
 */
async function lock(client: ClientBase, name: string, timeoutMs: number): Promise<void> {
  const text = "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine";
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const { rows } = await client.query<{ mine: boolean }>(text, [name]);
    if (rows[0]?.mine === true) return;
    await delay(retryDelayMs);
  }
  const message = `Another process has been migrating the tables of the queue for longer than ${timeoutMs / 1000} s. Wait for it, or end it (SELECT pid, application_name, query FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory'), and run \`cadre db migrate\` again.`;
  throw new CadreError("registry-unavailable", message);
}

/**
 * `DBOS.migrate` writes to standard output, which belongs to the command. Starting with migrations writes to our logger instead.
 */
async function migrate(
  { DBOS }: Dbos,
  { url, schema, pool }: { url: string; schema: string; pool: Pool },
): Promise<void> {
  if (DBOS.isInitialized()) return await DBOS.migrate(url, { schemaName: schema });
  DBOS.setConfig({
    name: "cadre",
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: schema,
    systemDatabasePool: pool,
    runMigrations: true,
    useListenNotify: false,
    executorID: randomUUID(),
    listenQueues: ["none"],
    logger: silent,
  });
  await DBOS.launch();
  await DBOS.shutdown({ deregister: true });
}
