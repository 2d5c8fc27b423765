import type { DatabaseSync } from "node:sqlite";
import { transact } from "./open-database.ts";

/** What may be deleted: times in epoch milliseconds. */
export interface PruneTimes {
  /** Families that ended before this. */
  endedBefore: number;
  /** Definitions without a run that were last asked for before this: the run that needs one may not be written yet. */
  usedBefore: number;
}

/**
 * Deletes ended families, and the definitions and images that no run is left of; returns the ids of the runs that are gone.
 */
export function pruneFamilies(
  database: DatabaseSync,
  { endedBefore, usedBefore }: PruneTimes,
): string[] {
  const ended =
    "SELECT root_id FROM runs GROUP BY root_id HAVING MAX(ended_at IS NULL) = 0 AND MAX(ended_at) < ?";
  return transact(database, () => {
    const runs = database
      .prepare(`SELECT id FROM runs WHERE root_id IN (${ended})`)
      .all(endedBefore);
    const ids = runs.map((row) => String(row["id"]));
    const deletions = [
      database.prepare("DELETE FROM events WHERE run_id = ?"),
      database.prepare("DELETE FROM requests WHERE run_id = ?"),
      database.prepare("DELETE FROM cache WHERE run_id = ?"),
      database.prepare("DELETE FROM runs WHERE id = ?"),
    ];
    for (const id of ids) for (const deletion of deletions) deletion.run(id);
    database.prepare(deleteUnused).run(usedBefore);
    return ids;
  });
}

const deleteUnused = `
  WITH specs AS (
    SELECT json_extract(events.data, '$.spec') AS spec
      FROM runs JOIN events ON run_id = runs.id AND seq = 1
  ),
  used AS (
    SELECT json_extract(spec, '$.definition') AS hash FROM specs
    UNION
    SELECT json_extract(image.value, '$.content') FROM specs, json_each(spec, '$.images') AS image
  )
  DELETE FROM definitions
    WHERE used_at < ? AND NOT EXISTS (SELECT 1 FROM used WHERE used.hash = definitions.hash)`;
