import type { DatabaseSync } from "node:sqlite";
import { CadreError } from "../../errors.ts";
import { readPositionedEvent } from "../stored-value.ts";
import type { PositionedEvent } from "../registry.ts";

/** The events of all runs; see `Registry.eventsAfter` and `Registry.lastPosition`. */
export interface PositionQueries {
  eventsAfter(position: string): PositionedEvent[];
  lastPosition(): string;
}

/** The maximum number of events that one call reads. */
const maxEvents = 1000;

/** The run of the row that {@link keepLastPosition} writes. */
const noRun = "";

/**
 * Creates the queries over the events of all runs. SQLite lets one process write at a time, so the positions of the rows are in
 * commit order.
 */
export function createPositionQueries(database: DatabaseSync): PositionQueries {
  const after = database.prepare(
    `SELECT position, run_id, seq, at, type, data FROM events
      WHERE position > ? AND run_id <> '${noRun}' ORDER BY position LIMIT ${maxEvents}`,
  );
  const last = database.prepare("SELECT MAX(position) AS position FROM events");
  return {
    eventsAfter: (position) =>
      after
        .all(readPosition(position))
        .map((row) => readPositionedEvent(String(row["position"]), row)),
    lastPosition: () => String(last.get()?.["position"] ?? 0),
  };
}

function readPosition(position: string): number {
  if (position === "") return 0;
  if (/^\d{1,15}$/.test(position)) return Number(position);
  const message = `Expected a position in the journal that this registry returned, or an empty text for its beginning; got ${JSON.stringify(position)}.`;
  throw new CadreError("invalid-argument", message);
}

/**
 * Deletes events with `work` and reserves the last position. SQLite would otherwise reuse it for a later event, which a reader at
 * that position would miss. Call it within a transaction.
 */
export function keepLastPosition(database: DatabaseSync, work: () => void): void {
  const read = database.prepare("SELECT MAX(position) AS position FROM events");
  const before = read.get()?.["position"];
  work();
  if (typeof before !== "number" || read.get()?.["position"] === before) return;
  database.prepare("DELETE FROM events WHERE run_id = ?").run(noRun);
  database
    .prepare("INSERT INTO events (position, run_id, seq, at, type, data) VALUES (?, ?, 1, 0, ?, ?)")
    .run(before, noRun, "pruned", "{}");
}
