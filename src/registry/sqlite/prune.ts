import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withLongWait, transact } from "./open-database.ts";
import { keepLastPosition } from "./position-queries.ts";
import { selectUnneeded } from "../select-unneeded.ts";
import { readConversationLinks } from "./read-conversation-links.ts";

/** Limits of the deletion, in epoch milliseconds. */
export interface PruneTimes {
  /** Families that ended before this are deleted. */
  endedBefore: number;
  /**
   * Definitions without a run are deleted if they were last stored before this. The run of a newer definition may not be written
   * yet.
   */
  usedBefore: number;
}

/** The number of families that one transaction deletes. Other writers wait only briefly. */
const familiesAtOnce = 50;

/**
 * Deletes ended families and the definitions and images that no remaining run uses. Resolves with the ids of the deleted runs.
 * The families of a conversation are deleted together.
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
  return await deleteEnded(
    database,
    selectUnneeded(ended, readConversationLinks(database)),
    usedBefore,
  );
}

/** Deletes the ended families of these roots, and definitions and images as {@link pruneFamilies} does. */
export async function deleteEnded(
  database: DatabaseSync,
  ended: readonly string[],
  usedBefore: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < ended.length; from += familiesAtOnce) {
    const some = ended.slice(from, from + familiesAtOnce);
    ids.push(
      ...withLongWait(database, () => transact(database, () => deleteFamilies(database, some))),
    );
    await nextTurn();
  }
  withLongWait(database, () => database.prepare(deleteUnused).run(usedBefore));
  return ids;
}

function deleteFamilies(database: DatabaseSync, rootIds: readonly string[]): string[] {
  const runsOf = database.prepare("SELECT id FROM runs WHERE root_id = ?");
  const deletions = [
    database.prepare("DELETE FROM events WHERE run_id = ?"),
    database.prepare("DELETE FROM requests WHERE run_id = ?"),
    database.prepare("DELETE FROM cache WHERE run_id = ?"),
    database.prepare("DELETE FROM conversations WHERE id = ?"),
    database.prepare("DELETE FROM runs WHERE id = ?"),
  ];
  const ids = rootIds.flatMap((rootId) => runsOf.all(rootId).map((row) => String(row["id"])));
  keepLastPosition(database, () => {
    for (const id of ids) for (const deletion of deletions) deletion.run(id);
  });
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
