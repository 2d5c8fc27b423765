import type { JsonValue } from "../source/json.ts";

/** A recorded result that later runs of the same task may return. */
export interface CacheEntry {
  /** The hash of the task and of everything that determines its result. */
  key: string;
  /** The run that produced the result. */
  runId: string;
  /** The state that the result depends on. The reader compares it with the current state before it uses the result. */
  basis: JsonValue;
  /** Epoch milliseconds. */
  createdAt: number;
  /** The number of later runs that used it. */
  hits: number;
}

/** Stores results for later runs. */
export interface CacheTable {
  keep(entry: Pick<CacheEntry, "key" | "runId" | "basis">): Promise<void>;
  /** The entries under `key`, newest first. */
  find(key: string): Promise<CacheEntry[]>;
  /** Counts one use of the result of `runId`. */
  hit(runId: string): Promise<void>;
  /** All entries, newest first. */
  list(): Promise<CacheEntry[]>;
  /** Deletes all entries. Resolves with their number. */
  clear(): Promise<number>;
}
