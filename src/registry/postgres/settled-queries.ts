import { setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../registry.ts";
import { readPositionedEvent } from "../stored-value.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";

/** The maximum number of events that one call reads. */
const maxEvents = 1000;

/** How often, and after what pause in milliseconds, events are read again that an open transaction holds back. */
const attempts = 100;
const pauseMs = 5;

/**
 * Creates the queries over the events of all runs. A position is the id of the transaction and the event's number. Only events of
 * transactions before the oldest open one are returned, so no later commit adds an event before them.
 */
export function createSettledQueries(
  { query }: Pick<Database, "query">,
  s: string,
): Pick<Registry, "eventsAfter" | "lastPosition"> {
  const select = `
    SELECT xid::text AS xid, position, run_id, seq, at, type, data FROM ${s}.events
      WHERE (xid, position) > ($1::xid8, $2::bigint)
        AND xid < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY events.xid, position LIMIT ${maxEvents}`;

  /** Reports whether any events follow a position, including events that are held back. */
  async function areMoreAfter(position: string): Promise<boolean> {
    const [row] = await query(
      `SELECT EXISTS (SELECT FROM ${s}.events WHERE (xid, position) > ($1::xid8, $2::bigint)) AS more`,
      readPosition(position),
      { name: "more-events" },
    );
    return row?.["more"] === true;
  }

  return {
    async eventsAfter(position) {
      for (let attempt = 0; ; attempt += 1) {
        const rows = await query(select, readPosition(position), { name: "events-after" });
        if (rows.length > 0 || attempt === attempts || !(await areMoreAfter(position))) {
          return rows.map((row) => readPositionedEvent(toPosition(row), row));
        }
        await delay(pauseMs);
      }
    },
    async lastPosition() {
      for (let attempt = 0; ; attempt += 1) {
        const [row] = await query(lastPosition(s), [], { name: "last-position" });
        const last = row === undefined ? "0.0" : toPosition(row);
        if (attempt === attempts || !(await areMoreAfter(last))) return last;
        await delay(pauseMs);
      }
    },
  };
}

/** Selects the last event that is before every open transaction, or the last one that was pruned. */
function lastPosition(s: string): string {
  return `
    SELECT last.xid::text AS xid, position FROM (
      (SELECT xid, position FROM ${s}.events
        WHERE xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid DESC, position DESC LIMIT 1)
      UNION ALL SELECT xid, position FROM ${s}.pruned
    ) AS last ORDER BY last.xid DESC, position DESC LIMIT 1`;
}

/** Stores the last position before events are deleted, so that the position never decreases. */
export async function storeLastPosition(
  { query }: Pick<Database, "query">,
  s: string,
): Promise<void> {
  await query(`INSERT INTO ${s}.pruned (xid, position)
    SELECT xid, position FROM ${s}.events ORDER BY xid DESC, position DESC LIMIT 1`);
  await query(`DELETE FROM ${s}.pruned WHERE (xid, position) < (SELECT xid, position FROM ${s}.pruned
    ORDER BY xid DESC, position DESC LIMIT 1)`);
}

function toPosition(row: Row): string {
  return `${String(row["xid"])}.${String(row["position"])}`;
}

function readPosition(position: string): [string, string] {
  if (position === "") return ["0", "0"];
  const [, xid, number] = /^(\d{1,19})\.(\d{1,18})$/.exec(position) ?? [];
  if (xid !== undefined && number !== undefined) return [xid, number];
  const message = `Expected a position in the journal that this registry returned, or an empty text for its beginning; got ${JSON.stringify(position)}.`;
  throw new CadreError("invalid-argument", message);
}
