import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { patiently, transact } from "./open-database.ts";

/** What may be deleted: times in epoch milliseconds. */
export interface PruneTimes {
  /** Families that ended before this. */
  endedBefore: number;
  /** Definitions without a run that were last asked for before this: the run that needs one may not be written yet. */
  usedBefore: number;
}

/** So many families are deleted at once, so that others that write need not wait for long. */
const familiesAtOnce = 50;

/**
 * Deletes ended families, and the definitions and images that no run is left of; resolves with the ids of the runs that are gone.
 */
export async function pruneFamilies(
  database: DatabaseSync,
  { endedBefore, usedBefore }: PruneTimes,
): Promise<string[]> {
  const ended = database
    .prepare(
      "SELECT root_id FROM runs GROUP BY root_id HAVING MAX(ended_at IS NULL) = 0 AND MAX(ended_at) < ?",
    )
    .all(endedBefore)
    .map((row) => String(row["root_id"]));
  const ids: string[] = [];
  for (let from = 0; from < ended.length; from += familiesAtOnce) {
    const some = ended.slice(from, from + familiesAtOnce);
    ids.push(
      ...patiently(database, () => transact(database, () => deleteFamilies(database, some))),
    );
    await nextTurn();
  }
  patiently(database, () => database.prepare(deleteUnused).run(usedBefore));
  return ids;
}

function deleteFamilies(database: DatabaseSync, rootIds: readonly string[]): string[] {
  const runsOf = database.prepare("SELECT id FROM runs WHERE root_id = ?");
  const deletions = [
    database.prepare("DELETE FROM events WHERE run_id = ?"),
    database.prepare("DELETE FROM requests WHERE run_id = ?"),
    database.prepare("DELETE FROM cache WHERE run_id = ?"),
    database.prepare("DELETE FROM runs WHERE id = ?"),
  ];
  const ids = rootIds.flatMap((rootId) => runsOf.all(rootId).map((row) => String(row["id"])));
  for (const id of ids) for (const deletion of deletions) deletion.run(id);
  return ids;
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
