import { setTimeout as delay } from "node:timers/promises";
import type { ClientBase, Pool } from "pg";
import { CadreError } from "../../../errors.ts";

/** How long a notification may take to arrive, in milliseconds. */
const notificationMs = 5000;

/**
 * Refuses a pooler, such as PgBouncer, that gives each transaction a different server connection. Notifications would be lost,
 * and session locks would stay with a connection that never closes. The pooler is recognised by the process id that it invented
 * for the connection.
 *
 * @throws CadreError `registry-unavailable`.
 */
export async function refuseTransactionPooling(
  client: ClientBase,
  pool: Pool,
  name: string,
): Promise<void> {
  const { processID } = client as ClientBase & { processID?: number | null };
  const select = "SELECT pg_backend_pid() AS pid";
  const own = (await client.query<{ pid: number }>(select)).rows[0]?.pid;
  if (own === processID) return;
  // In session mode, no other connection shares the server's process. A pooler usually reuses the one that became free last.
  const other = (await pool.query<{ pid: number }>(select)).rows[0]?.pid;
  if (other !== own && (await receives(client, pool, `cadre:probe:${processID}`))) return;
  const message = `The address of the registry ${name} leads to a pooler that gives each transaction another connection, such as PgBouncer with pool_mode = transaction. Notifications would be lost. Use pool_mode = session, or the address of the server itself.`;
  throw new CadreError("registry-unavailable", message);
}

/** Reports whether a notification over the other connections arrives. */
async function receives(client: ClientBase, pool: Pool, channel: string): Promise<boolean> {
  const received = new Promise<boolean>((resolve) => {
    client.once("notification", () => resolve(true));
  });
  await client.query(`LISTEN "${channel}"`);
  await pool.query("SELECT pg_notify($1, '')", [channel]);
  const stop = new AbortController();
  const late = delay(notificationMs, false, { signal: stop.signal }).catch(() => false);
  return await Promise.race([received, late]).finally(() => stop.abort());
}
