import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../clock.ts";
import type { JsonValue } from "../../source/json.ts";
import type { CacheEntry, CacheTable } from "../cache-table.ts";
import type { RegistryGuard } from "./registry-guard.ts";

/** Creates the cache in the table of `database`. */
export function createSqliteCache(
  database: DatabaseSync,
  { clock, guard }: { clock: Clock; guard: RegistryGuard },
): CacheTable {
  const columns = "key, run_id, basis, created_at, hits";
  const insert = database.prepare(
    "INSERT OR REPLACE INTO cache (run_id, key, basis, created_at) VALUES (?, ?, ?, ?)",
  );
  const byKey = database.prepare(
    `SELECT ${columns} FROM cache WHERE key = ? ORDER BY created_at DESC, rowid DESC`,
  );
  const all = database.prepare(`SELECT ${columns} FROM cache ORDER BY created_at DESC, rowid DESC`);
  const count = database.prepare("UPDATE cache SET hits = hits + 1 WHERE run_id = ?");
  const remove = database.prepare("DELETE FROM cache");
  return {
    async keep({ key, runId, basis }) {
      guard(() => insert.run(runId, key, JSON.stringify(basis), clock.now()));
    },
    find: async (key) => guard(() => byKey.all(key).map(toEntry)),
    async hit(runId) {
      guard(() => count.run(runId));
    },
    list: async () => guard(() => all.all().map(toEntry)),
    clear: async () => guard(() => Number(remove.run().changes)),
  };
}

function toEntry(row: Record<string, unknown>): CacheEntry {
  return {
    key: String(row["key"]),
    runId: String(row["run_id"]),
    basis: JSON.parse(String(row["basis"])) as JsonValue,
    createdAt: Number(row["created_at"]),
    hits: Number(row["hits"]),
  };
}
