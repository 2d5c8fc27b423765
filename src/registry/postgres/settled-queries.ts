import { CadreError } from "../../errors.ts";
import type { Registry } from "../registry.ts";
import type { Row } from "./connections.ts";
import type { Database } from "./database.ts";
import { toEvent } from "./remote-queries.ts";

/** The most events that one call reads. */
const mostEvents = 1000;

/**
 * Creates the queries over the events of all runs. A position is the id of the transaction, and the event's number. Only the
 * events of transactions before the oldest open one are returned, so that none of a later commit comes before them.
 */
export function createSettledQueries(
  { query }: Pick<Database, "query">,
  s: string,
): Pick<Registry, "eventsAfter" | "lastPosition"> {
  return {
    async eventsAfter(position) {
      const rows = await query(
        `SELECT xid::text AS xid, position, run_id, seq, at, type, data FROM ${s}.events
          WHERE (xid, position) > ($1::xid8, $2::bigint)
            AND xid < pg_snapshot_xmin(pg_current_snapshot())
          ORDER BY events.xid, position LIMIT ${mostEvents}`,
        readPosition(position),
        { name: "events-after" },
      );
      return rows.map((row) => ({ position: toPosition(row), event: toEvent(row) }));
    },
    async lastPosition() {
      const rows = await query(lastPosition(s), [], { name: "last-position" });
      return rows[0] === undefined ? "0.0" : toPosition(rows[0]);
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

/** Stores the last position before events are deleted, so that it does not go back. */
export async function storeLastPosition(
  { query }: Pick<Database, "query">,
  s: string,
): Promise<void> {
  await query(`INSERT INTO ${s}.pruned (xid, position)
    SELECT last.xid::xid8, position FROM (${lastPosition(s)}) AS last`);
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
