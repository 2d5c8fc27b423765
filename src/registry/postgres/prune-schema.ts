import { selectUnneeded } from "../select-unneeded.ts";
import type { Pruned } from "../pruned.ts";
import type { Database } from "./connection/database.ts";
import { storeLastPosition } from "./settled-queries.ts";

/** The number of families that one statement deletes. Other writers wait only briefly. */
const familiesAtOnce = 50;

/** Deletes the families that ended before `endedBefore`, as `Registry.prune` describes. */
export async function pruneSchema(
  database: Pick<Database, "query">,
  s: string,
  endedBefore: number,
): Promise<Pruned> {
  const { query } = database;
  const ended = await query(
    `SELECT root_id FROM ${s}.runs GROUP BY root_id
      HAVING NOT bool_or(ended_at IS NULL) AND max(ended_at) < $1::float8`,
    [endedBefore],
  );
  const roots = await query(`SELECT id, conversation FROM ${s}.runs WHERE parent_id IS NULL`);
  const links = await query(
    `SELECT made.root_id AS made, before.root_id AS before FROM ${s}.runs AS made
      JOIN ${s}.runs AS before ON before.id = made.continues`,
  );
  const unneeded = selectUnneeded(
    ended.map((row) => String(row["root_id"])),
    {
      conversations: new Map(roots.map((row) => [String(row["id"]), String(row["conversation"])])),
      links: links.map((row) => ({ made: String(row["made"]), before: String(row["before"]) })),
    },
  );
  return await deleteFamilies(database, s, unneeded);
}

/**
 * Deletes the ended families of these roots, and the definitions and images that no other run uses. Later runs can use the space
 * at once. The server decides when to return it to the file system.
 */
export async function deleteFamilies(
  { query }: Pick<Database, "query">,
  s: string,
  roots: readonly string[],
): Promise<Pruned> {
  const runIds: string[] = [];
  let freedBytes = 0;
  if (roots.length > 0) await storeLastPosition({ query }, s);
  for (let from = 0; from < roots.length; from += familiesAtOnce) {
    const some = roots.slice(from, from + familiesAtOnce);
    const rows = await query(`SELECT id FROM ${s}.runs WHERE root_id = ANY($1) ORDER BY number`, [
      some,
    ]);
    const ids = rows.map((row) => String(row["id"]));
    const [deleted] = await query(deleteRuns(s), [ids]);
    freedBytes += Number(deleted?.["bytes"]);
    runIds.push(...ids);
  }
  const [deleted] = await query(deleteUnused(s));
  return { runIds, freedBytes: freedBytes + Number(deleted?.["bytes"]) };
}

/** One statement, which deletes all of a run or nothing. */
function deleteRuns(s: string): string {
  return `
    WITH event AS (DELETE FROM ${s}.events WHERE run_id = ANY($1) RETURNING octet_length(data) AS bytes),
    request AS (DELETE FROM ${s}.requests WHERE run_id = ANY($1)),
    result AS (DELETE FROM ${s}.cache WHERE run_id = ANY($1)),
    used AS (DELETE FROM ${s}.uses WHERE run_id = ANY($1)),
    conversation AS (DELETE FROM ${s}.conversations WHERE id = ANY($1)),
    run AS (DELETE FROM ${s}.runs WHERE id = ANY($1) RETURNING octet_length(state) AS bytes)
    SELECT (SELECT COALESCE(sum(bytes), 0) FROM event) + (SELECT COALESCE(sum(bytes), 0) FROM run) AS bytes`;
}

/** A definition stored within the last hour may belong to a run that is not written yet. */
function deleteUnused(s: string): string {
  return `
    WITH gone AS (
      DELETE FROM ${s}.definitions WHERE used_at < clock_timestamp() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM ${s}.uses WHERE uses.hash = definitions.hash)
        RETURNING octet_length(data) AS bytes
    )
    SELECT COALESCE(sum(bytes), 0) AS bytes FROM gone`;
}
