import type { Clock } from "../../clock.ts";
import type { JsonValue } from "../../source/json.ts";
import type { CacheEntry, CacheTable } from "../cache-table.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";

/** Creates the cache in the table of the quoted schema `s`. */
export function createPostgresCache(
  { query }: Pick<Database, "query">,
  s: string,
  clock: Pick<Clock, "now">,
): CacheTable {
  const columns = "key, run_id, basis, created_at, hits";
  const order = "ORDER BY created_at DESC, number DESC";
  return {
    async keep({ key, runId, basis }) {
      await query(
        `INSERT INTO ${s}.cache (run_id, key, basis, created_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (run_id) DO UPDATE SET key = excluded.key, basis = excluded.basis,
            created_at = excluded.created_at, hits = 0`,
        [runId, key, JSON.stringify(basis), clock.now()],
      );
    },
    find: async (key) =>
      (await query(`SELECT ${columns} FROM ${s}.cache WHERE key = $1 ${order}`, [key])).map(
        toEntry,
      ),
    async hit(runId) {
      await query(`UPDATE ${s}.cache SET hits = hits + 1 WHERE run_id = $1`, [runId]);
    },
    list: async () => (await query(`SELECT ${columns} FROM ${s}.cache ${order}`)).map(toEntry),
    clear: async () => (await query(`DELETE FROM ${s}.cache RETURNING run_id`)).length,
  };
}

function toEntry(row: Row): CacheEntry {
  return {
    key: String(row["key"]),
    runId: String(row["run_id"]),
    basis: JSON.parse(String(row["basis"])) as JsonValue,
    createdAt: Number(row["created_at"]),
    hits: Number(row["hits"]),
  };
}
