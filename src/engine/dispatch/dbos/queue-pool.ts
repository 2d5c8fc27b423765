import type { ClientBase, Pool } from "pg";
import { loadPg } from "../../../registry/postgres/connection/load-pg.ts";

/** Options of {@link createQueuePool}. */
export interface QueuePoolOptions {
  /** The most connections that are open at once. */
  max: number;
  /** How long a statement may wait for another program's transaction, in milliseconds. Default: no limit. */
  lockTimeoutMs?: number;
}

/**
 * How long the server keeps an idle transaction, in milliseconds. Until then, the tasks that a silent machine was taking are
 * hidden from other workers, and no index can be created.
 */
const idleTransactionMs = 15_000;

/** Creates the connections to the tables of DBOS. DBOS limits idle transactions only in its own pools. */
export async function createQueuePool(
  url: string,
  { max, lockTimeoutMs = 0 }: QueuePoolOptions,
): Promise<Pool> {
  const pg = await loadPg();
  const settings = `SET idle_in_transaction_session_timeout = ${idleTransactionMs}; SET lock_timeout = ${lockTimeoutMs}`;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "cadre queue",
    max,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    allowExitOnIdle: true,
    // The types of `pg` do not yet declare that the pool awaits this promise.
    onConnect: ((client: ClientBase) => client.query(settings)) as (client: ClientBase) => void,
  });
  // The pool replaces a connection that ends while it is idle.
  pool.on("error", () => undefined);
  return pool;
}
