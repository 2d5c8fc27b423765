// The table of families that wait for a worker, in PostgreSQL.

import type { LeaseTimes, Owner } from "../../owner.ts";
import { isOwnerAlive, submittedOwner } from "../../owner.ts";
import type { SeenWorker, WorkItem, WorkTable } from "../../work-table.ts";
import type { Row } from "../connection/connections.ts";
import type { Database } from "../connection/database.ts";
import type { SchemaWatch } from "../connection/schema-watch.ts";
import { readProcessScope } from "../../process-scope.ts";
import { readOptionalText, readWorkItem, workColumns } from "./work-item.ts";

/** The options of {@link createPostgresWork}. */
export interface PostgresWorkOptions {
  address: WorkTable["address"];
  /** The schema as an SQL identifier. */
  quoted: string;
  owner: Owner;
  times: LeaseTimes;
  watch: SchemaWatch;
  /** Forgets the runs of a family, which this process no longer owns. */
  forget: (rootId: string) => void;
}

type Query = Pick<Database, "query" | "reachableMs">;

/** Creates the work table in `database`. */
export function createPostgresWork(database: Query, options: PostgresWorkOptions): WorkTable {
  return {
    address: options.address,
    ...createSubmissions(database, options),
    ...createKeys(database, options),
    ...createAttempts(database, options),
    ...createWorkers(database, options),
  };
}

function createSubmissions(
  database: Query,
  { quoted: s, owner, forget }: PostgresWorkOptions,
): Pick<WorkTable, "submit" | "items" | "countWaiting" | "remove"> {
  return {
    async submit(rootId, { label, setting, priority = 0, ...more }) {
      const { start = { afterMs: 0 }, hasDependencies = false } = more;
      const isNow = "afterMs" in start && start.afterMs === 0;
      const [row] = await database.query(
        submitStatement(s),
        [
          rootId,
          label,
          JSON.stringify(setting),
          owner.id,
          priority,
          isNow,
          "at" in start ? start.at : null,
          "at" in start ? null : start.afterMs,
          hasDependencies,
        ],
        { name: "submit" },
      );
      forget(rootId);
      return Number(row?.["attempt"]);
    },
    async items({ rootId, touched = false, waitedMs = 0 } = {}) {
      const rows = await database.query(
        `SELECT ${workColumns(s)} FROM ${s}.work WHERE ($1::text IS NULL OR root_id = $1)
            AND (NOT $2 OR worker IS NOT NULL OR refusals <> '[]' OR start_at <= clock_timestamp()
              OR awaits <> '{}' AND cardinality(awaits) >
                (SELECT count(*) FROM ${s}.runs WHERE id = ANY(awaits) AND ended_at IS NULL))
            AND since <= clock_timestamp() - make_interval(secs => $3::float8 / 1000)
          ORDER BY priority DESC, submitted_at, root_id`,
        [rootId ?? null, touched, waitedMs],
        { name: "work" },
      );
      return rows.map(readWorkItem);
    },
    async countWaiting(most) {
      const [row] = await database.query(countStatement(s), [most], { name: "waiting" });
      return Number(row?.["waiting"]);
    },
    async remove(rootId) {
      await database.query(
        `WITH freed AS (DELETE FROM ${s}.work_keys WHERE root_id = $1)
          DELETE FROM ${s}.work WHERE root_id = $1`,
        [rootId],
        { name: "work-ended" },
      );
    },
  };
}

/** Adds a family, or its next attempt, and removes the owner of its runs. */
function submitStatement(s: string): string {
  return `WITH freed AS (UPDATE ${s}.runs SET owner = '${submittedOwner}' WHERE root_id = $1 AND ended_at IS NULL AND owner = $4)
      INSERT INTO ${s}.work AS old (root_id, attempt, label, setting, refusals, since, priority, awaits, start_at)
        VALUES ($1, 1, $2, $3, '[]', clock_timestamp(), $5, CASE WHEN $9 THEN ARRAY[]::text[] END,
          CASE WHEN $6 THEN NULL
            WHEN $7::float8 IS NULL THEN clock_timestamp() + make_interval(secs => $8::float8 / 1000)
            ELSE to_timestamp($7::float8 / 1000) END)
        ON CONFLICT (root_id) DO UPDATE SET attempt = old.attempt + 1, label = excluded.label,
          setting = excluded.setting, refusals = '[]', worker = NULL, since = excluded.since,
          priority = excluded.priority, start_at = excluded.start_at, awaits = excluded.awaits
        RETURNING attempt`;
}

/** Counts the waiting families. A count below `$1` may include ended families, which only a larger count excludes. */
function countStatement(s: string): string {
  return `WITH found AS (SELECT count(*) AS waiting FROM ${s}.work WHERE worker IS NULL)
    SELECT CASE WHEN waiting < $1 THEN waiting ELSE (
      SELECT count(*) FROM ${s}.work AS item WHERE worker IS NULL
        AND EXISTS (SELECT FROM ${s}.runs WHERE root_id = item.root_id AND ended_at IS NULL)
    ) END AS waiting FROM found`;
}

/** How long an unrecorded family keeps its key, in seconds. */
const unrecordedSeconds = 60;

function createKeys(
  database: Query,
  { quoted: s }: PostgresWorkOptions,
): Pick<WorkTable, "holdKey" | "freeKey"> {
  return {
    async holdKey(key, rootId) {
      const [held] = await database.query(
        `INSERT INTO ${s}.work_keys AS old (key, root_id, since) VALUES ($1, $2, clock_timestamp())
          ON CONFLICT (key) DO UPDATE SET root_id = excluded.root_id, since = excluded.since
            WHERE old.root_id = excluded.root_id
              OR NOT EXISTS (SELECT FROM ${s}.runs WHERE root_id = old.root_id AND ended_at IS NULL)
                AND (old.since < clock_timestamp() - make_interval(secs => ${unrecordedSeconds})
                  OR EXISTS (SELECT FROM ${s}.runs WHERE id = old.root_id))
          RETURNING root_id`,
        [toKey(key), rootId],
      );
      if (held !== undefined) return undefined;
      const [row] = await database.query(`SELECT root_id FROM ${s}.work_keys WHERE key = $1`, [
        toKey(key),
      ]);
      // The key was freed in the meantime.
      return row === undefined ? await this.holdKey(key, rootId) : String(row["root_id"]);
    },
    async freeKey(rootId) {
      await database.query(
        `DELETE FROM ${s}.work_keys AS held WHERE root_id = $1
          AND NOT EXISTS (SELECT FROM ${s}.runs WHERE root_id = held.root_id AND ended_at IS NULL)`,
        [rootId],
      );
    },
  };
}

/** Text in PostgreSQL cannot contain NUL or a lone surrogate. JSON escapes both. */
function toKey(key: string): string {
  return JSON.stringify(key);
}

function createAttempts(
  database: Query,
  { quoted: s }: PostgresWorkOptions,
): Pick<WorkTable, "take" | "requeue" | "hold" | "refuse"> {
  return {
    async take(rootId, attempt, worker): Promise<WorkItem | undefined> {
      const [row] = await database.query(
        `UPDATE ${s}.work SET worker = $3 WHERE root_id = $1 AND attempt = $2
            AND (worker IS NULL OR worker = $3) RETURNING ${workColumns(s)}`,
        [rootId, attempt, worker],
        { name: "take" },
      );
      return row === undefined ? undefined : readWorkItem(row);
    },
    async requeue(rootId, attempt, worker) {
      const [row] = await database.query(
        `UPDATE ${s}.work SET attempt = attempt + 1, worker = NULL, start_at = NULL, since = clock_timestamp(),
            awaits = CASE WHEN awaits IS NOT NULL THEN ARRAY[]::text[] END
          WHERE root_id = $1 AND attempt = $2 AND worker IS NOT DISTINCT FROM $3 RETURNING attempt`,
        [rootId, attempt, worker],
      );
      return row === undefined ? undefined : Number(row["attempt"]);
    },
    async hold(rootId, attempt, { worker, awaits }) {
      await database.query(
        `UPDATE ${s}.work SET worker = NULL, since = clock_timestamp(), awaits = $4
          WHERE root_id = $1 AND attempt = $2 AND worker = $3`,
        [rootId, attempt, worker, awaits],
      );
    },
    async refuse(rootId, attempt, { worker, reason }) {
      await database.query(
        `UPDATE ${s}.work SET worker = NULL, since = clock_timestamp(),
            refusals = (refusals::jsonb || jsonb_build_array(jsonb_build_object('worker', $3::text, 'reason', $4::text)))::text
          WHERE root_id = $1 AND attempt = $2 AND worker = $3`,
        [rootId, attempt, worker, reason],
      );
    },
  };
}

function createWorkers(
  database: Query,
  { quoted: s, owner, times, watch }: PostgresWorkOptions,
): Pick<WorkTable, "beat" | "workers" | "leave"> {
  const place = readProcessScope();
  return {
    async beat({ id, host, pid, label, concurrency, version }) {
      const [row] = await database.query(
        `INSERT INTO ${s}.workers (id, host, place, pid, started_at, label, concurrency, version, seen_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
          RETURNING (SELECT max(version) FROM ${s}.schema_version) AS schema_version`,
        [id, host, place, pid, owner.startedAt, label, concurrency, version],
        { name: "worker-beat" },
      );
      watch.update(row?.["schema_version"]);
      watch.refuseNewer();
    },
    async workers() {
      // While the server was down, no worker could write a heartbeat.
      const rows = await database.query(
        `SELECT *, extract(epoch FROM clock_timestamp() - greatest(seen_at, pg_postmaster_start_time()))::float8 * 1000
            AS silent_ms FROM ${s}.workers ORDER BY host, pid`,
        [],
        { name: "workers" },
      );
      return rows.map((row) =>
        toWorker(row, { place, times, reachableMs: database.reachableMs() }),
      );
    },
    async leave(ids) {
      await database.query(`DELETE FROM ${s}.workers WHERE id = ANY($1)`, [ids]);
    },
  };
}

function toWorker(
  row: Row,
  { place, times, reachableMs }: { place: string; times: LeaseTimes; reachableMs: number },
): SeenWorker {
  const [id, host, version] = [String(row["id"]), String(row["host"]), String(row["version"])];
  const pid = Number(row["pid"]);
  const silentMs = Math.min(Number(row["silent_ms"]), reachableMs);
  const owner: Owner = { id, host, pid, startedAt: String(row["started_at"]) };
  const isAlive = isOwnerAlive(owner, silentMs, times, row["place"] === place);
  const label = readOptionalText(row["label"]);
  return {
    id,
    host,
    pid,
    label,
    version,
    concurrency: Number(row["concurrency"]),
    isAlive,
    silentMs,
  };
}
