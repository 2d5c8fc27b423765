import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import type { JsonValue } from "../source/json.ts";

/** A result that may stand for a later run's. */
export interface CacheEntry {
  /** The hash of what was asked for. */
  key: string;
  /** The run whose result it is. */
  runId: string;
  /** What the result rests on besides, to be checked before it is used. */
  basis: JsonValue;
  /** Epoch milliseconds. */
  createdAt: number;
  /** How often it was used. */
  hits: number;
}

/** The results that are kept for later runs. */
export interface CacheTable {
  keep(entry: Pick<CacheEntry, "key" | "runId" | "basis">): void;
  /** The entries under `key`, newest first. */
  find(key: string): CacheEntry[];
  /** Counts a use of the result of `runId`. */
  hit(runId: string): void;
  /** All entries, newest first. */
  list(): CacheEntry[];
  /** Forgets all; returns how many there were. */
  clear(): number;
}

/** The cache in `database`. */
export function createCacheTable(database: DatabaseSync, clock: Clock): CacheTable {
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
    keep({ key, runId, basis }) {
      insert.run(runId, key, JSON.stringify(basis), clock.now());
    },
    find: (key) => byKey.all(key).map(toEntry),
    hit: (runId) => void count.run(runId),
    list: () => all.all().map(toEntry),
    clear: () => Number(remove.run().changes),
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
