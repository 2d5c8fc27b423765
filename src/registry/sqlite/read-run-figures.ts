import type { DatabaseSync } from "node:sqlite";
import type { FamilyRunFigures } from "../ended-figures.ts";
import type { Run } from "../../run/run.ts";
import { readFigures } from "../stored-value.ts";

/**
 * Reads the figures of the runs `ids` and all their descendants. `readRun` returns the current state of an unfinished run, whose
 * row may be older than its journal.
 */
export type ReadRunFigures = (
  ids: readonly string[],
  readRun: (id: string) => Run | undefined,
) => FamilyRunFigures[];

/**
 * Creates a {@link ReadRunFigures}. It reads ended runs from the index alone, without their rows, which may be long, and without
 * journals.
 */
export function createReadRunFigures(database: DatabaseSync): ReadRunFigures {
  const withDescendants = database.prepare(`
    WITH RECURSIVE below (id, parent_id, ended_at, own) AS (
      SELECT runs.id, parent_id, ended_at, own
        FROM json_each(?) AS wanted JOIN runs ON runs.id = wanted.value
      UNION
      SELECT runs.id, runs.parent_id, runs.ended_at, runs.own
        FROM below JOIN runs INDEXED BY runs_by_parent ON runs.parent_id = below.id
    )
    SELECT id, parent_id, ended_at, own FROM below`);

  return (ids, readRun) =>
    withDescendants.all(JSON.stringify(ids)).map((row): FamilyRunFigures => {
      const { id, parent_id: parentId, ended_at: endedAt, own } = row as unknown as Row;
      const atWork = endedAt === null ? readRun(id) : undefined;
      const hasEnded = endedAt !== null;
      return { id, parentId, own: atWork?.own ?? readFigures(own, id), hasEnded };
    });
}

interface Row {
  id: string;
  parent_id: string | null;
  ended_at: number | null;
  own: string;
}
