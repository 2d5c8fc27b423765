import type { Client } from "pg";
import { requireUsableServer, refuseNewer } from "./check-server.ts";
import type { Row } from "./connections.ts";
import { type Execute, inspectServer } from "./inspect.ts";
import type { CheckedPostgresOptions } from "./postgres-options.ts";
import { postgresMigrations } from "./schema.ts";

/** Migrates the schema over an open connection, in one transaction. */
export async function migrateSchema(
  client: Client,
  { quoted, name }: CheckedPostgresOptions,
): Promise<{ from: number; to: number }> {
  const execute: Execute = async (text, values = []) =>
    (await client.query<Row>(text, [...values])).rows;
  requireUsableServer(await inspectServer(execute, quoted), name);
  await execute("BEGIN");
  try {
    await execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`cadre ${quoted}`]);
    const { schemaVersion: from, isRestored } = await inspectServer(execute, quoted);
    refuseNewer(from, postgresMigrations.length, name);
    if (from === 0) await createSchema(execute, quoted);
    for (const [index, migration] of postgresMigrations.entries()) {
      if (index < from) continue;
      await client.query(migration(quoted));
      await execute(`INSERT INTO ${quoted}.schema_version (version) VALUES ($1)`, [index + 1]);
    }
    if (isRestored) await adoptTransactions(execute, quoted);
    await execute("COMMIT");
    return { from, to: postgresMigrations.length };
  } catch (error) {
    await execute("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function createSchema(execute: Execute, quoted: string): Promise<void> {
  // `IF NOT EXISTS` requires the right to create schemas even when the schema exists.
  const [found] = await execute("SELECT to_regnamespace($1) IS NOT NULL AS is_there", [quoted]);
  if (found?.["is_there"] !== true) await execute(`CREATE SCHEMA ${quoted}`);
  await execute(`CREATE TABLE ${quoted}.schema_version (version integer PRIMARY KEY)`);
}

/**
 * Makes events readable that another server wrote, whose transactions had higher ids. They keep their order, before all later
 * events.
 */
async function adoptTransactions(execute: Execute, quoted: string): Promise<void> {
  await execute(`UPDATE ${quoted}.events SET xid = '1'`);
  await execute(`UPDATE ${quoted}.pruned SET xid = '1'`);
}
