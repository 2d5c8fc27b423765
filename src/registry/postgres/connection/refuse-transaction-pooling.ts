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
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  if (Number(rows[0]?.pid) === processID) return;
  const heard = new Promise<boolean>((resolve) => {
    client.once("notification", () => resolve(true));
  });
  await client.query(`LISTEN "cadre:probe:${processID}"`);
  await pool.query("SELECT pg_notify($1, '')", [`cadre:probe:${processID}`]);
  const stop = new AbortController();
  const late = delay(notificationMs, false, { signal: stop.signal }).catch(() => false);
  if (await Promise.race([heard, late])) return stop.abort();
  const message = `The address of the registry ${name} leads to a pooler that gives each transaction another connection, such as PgBouncer with pool_mode = transaction. Notifications would be lost. Use pool_mode = session, or the address of the server itself.`;
  throw new CadreError("registry-unavailable", message);
}
