import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import type { JsonValue } from "../source/json.ts";
import { patiently } from "./open-database.ts";
import type { RunRequest } from "./registry.ts";

/** What processes ask of each other, through the database. */
export interface Requests {
  add(runId: string, kind: RunRequest["kind"], data: JsonValue): void;
  to(runId: string): RunRequest[];
  /** See `Registry.onRequest`; returns the way to stop. */
  watch(handler: (request: RunRequest) => Promise<boolean>, clock: Clock): () => void;
  changed(signal: AbortSignal, clock: Clock): Promise<void>;
}

/**
 * How often other processes' writes are looked for; a look costs microseconds. Requests are looked for even when nothing
 * changed: one may be older than this process's ownership of its run.
 */
const pollMs = 100;

/** Keeps the requests to runs of `ownerId` in `database`. */
export function createRequests(database: DatabaseSync, ownerId: string): Requests {
  const insert = database.prepare("INSERT INTO requests (run_id, kind, data) VALUES (?, ?, ?)");
  const mine = database.prepare(
    `SELECT requests.id, run_id, kind, data FROM requests JOIN runs ON runs.id = run_id WHERE owner = ? ORDER BY requests.id`,
  );
  const byRun = database.prepare(
    "SELECT id, run_id, kind, data FROM requests WHERE run_id = ? ORDER BY id",
  );
  const remove = database.prepare("DELETE FROM requests WHERE id = ?");
  const dataVersion = database.prepare("PRAGMA data_version");
  /** Differs after another connection wrote. */
  const version = (): unknown => dataVersion.get()?.["data_version"];

  const underWay = new Set<number>();

  function deliver(handler: (request: RunRequest) => Promise<boolean>): void {
    for (const request of mine.all(ownerId).map(toRequest)) {
      const { id } = request;
      if (underWay.has(id)) continue;
      underWay.add(id);
      const settle = (isDone: boolean): void => {
        underWay.delete(id);
        // Not before: a process that is killed meanwhile must not take the request with it.
        if (isDone) remove.run(id);
      };
      handler(request)
        .then(settle, () => settle(false))
        // What could not be removed now comes again.
        .catch(() => undefined);
    }
  }

  return {
    add(runId, kind, data) {
      patiently(database, () => insert.run(runId, kind, JSON.stringify(data)));
    },
    to: (runId) => byRun.all(runId).map(toRequest),
    watch(handler, clock) {
      let stop = clock.scheduleIdly(pollMs, tick);
      function tick(): void {
        stop = clock.scheduleIdly(pollMs, tick);
        try {
          deliver(handler);
        } catch {
          // A database that is locked or full now is asked again in a moment; one that is broken shows at the next commit.
        }
      }
      return () => stop();
    },
    changed(signal, clock) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const before = version();
      let stop = clock.schedule(pollMs, tick);
      function tick(): void {
        try {
          if (version() !== before) return resolve();
          stop = clock.schedule(pollMs, tick);
        } catch (error) {
          reject(error);
        }
      }
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
      return promise.finally(() => stop());
    },
  };
}

function toRequest(row: Record<string, unknown>): RunRequest {
  return {
    id: Number(row["id"]),
    runId: String(row["run_id"]),
    kind: row["kind"] as RunRequest["kind"],
    data: JSON.parse(String(row["data"])) as JsonValue,
  };
}
