import type { DatabaseSync } from "node:sqlite";
import { transact } from "./open-database.ts";

/** Deletes the families that ended before `before` (epoch milliseconds); returns the ids of their runs. */
export function pruneFamilies(database: DatabaseSync, before: number): string[] {
  const ended =
    "SELECT root_id FROM runs GROUP BY root_id HAVING MAX(ended_at IS NULL) = 0 AND MAX(ended_at) < ?";
  return transact(database, () => {
    const runs = database.prepare(`SELECT id FROM runs WHERE root_id IN (${ended})`).all(before);
    const ids = runs.map((row) => String(row["id"]));
    const deletions = [
      database.prepare("DELETE FROM events WHERE run_id = ?"),
      database.prepare("DELETE FROM requests WHERE run_id = ?"),
      database.prepare("DELETE FROM cache WHERE run_id = ?"),
      database.prepare("DELETE FROM runs WHERE id = ?"),
    ];
    for (const id of ids) for (const deletion of deletions) deletion.run(id);
    return ids;
  });
}
