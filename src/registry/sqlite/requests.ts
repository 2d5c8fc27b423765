import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../clock.ts";
import type { JsonValue } from "../../source/json.ts";
import { withLongWait } from "./open-database.ts";
import type { RunRequest } from "../registry.ts";

/** Requests between processes, through the database. */
export interface Requests {
  add(runId: string, kind: RunRequest["kind"], data: JsonValue): void;
  to(runId: string): RunRequest[];
  /** See `Registry.onRequest`; returns the function that stops it. */
  watch(handler: (request: RunRequest) => Promise<boolean>, clock: Clock): () => void;
  changed(signal: AbortSignal, clock: Clock): Promise<void>;
}

/**
 * The polling interval for writes of other processes, in milliseconds; a poll costs microseconds. Requests are polled
 * even when nothing changed, because a request may be older than this process's ownership of its run.
 */
const pollMs = 100;

/** Creates the requests in `database` for the owner `ownerId`. */
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
  /** Changes when another connection writes. */
  const version = (): unknown => dataVersion.get()?.["data_version"];

  const underWay = new Set<number>();

  function deliver(handler: (request: RunRequest) => Promise<boolean>): void {
    for (const request of mine.all(ownerId).map(toRequest)) {
      const { id } = request;
      if (underWay.has(id)) continue;
      underWay.add(id);
      const finish = (isDone: boolean): void => {
        underWay.delete(id);
        // Removed only now, so that the request survives if this process is killed while handling it.
        if (isDone) remove.run(id);
      };
      handler(request)
        .then(finish, () => finish(false))
        // A request that could not be removed is delivered again.
        .catch(() => undefined);
    }
  }

  return {
    add(runId, kind, data) {
      withLongWait(database, () => insert.run(runId, kind, JSON.stringify(data)));
    },
    to: (runId) => byRun.all(runId).map(toRequest),
    watch(handler, clock) {
      let stop = clock.scheduleIdly(pollMs, tick);
      function tick(): void {
        stop = clock.scheduleIdly(pollMs, tick);
        try {
          deliver(handler);
        } catch {
          // The next poll tries again. A lasting error shows at the next commit.
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
