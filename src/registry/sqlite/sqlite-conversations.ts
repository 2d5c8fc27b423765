import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { CadreError } from "../../errors.ts";
import { addUpRuns } from "../../run/figures.ts";
import type { Run } from "../../run/run.ts";
import type {
  ConversationFilter,
  ConversationTable,
  StoredConversation,
} from "../conversation-table.ts";
import type { Pruned } from "../pruned.ts";
import { escapeLike } from "../escape-like.ts";
import { transact, withLongWait } from "./open-database.ts";
import type { ReadRunFigures } from "./read-run-figures.ts";
import { DamagedContent } from "../damaged-content.ts";
import type { RegistryGuard } from "./registry-guard.ts";

/** The options of {@link createSqliteConversations}. */
export interface SqliteConversationsOptions {
  guard: RegistryGuard;
  runFigures: ReadRunFigures;
  readRun: (id: string) => Run | undefined;
  /** Deletes the ended families of these roots. */
  deleteFamilies: (rootIds: readonly string[]) => Promise<Pruned>;
}

const defaultLimit = 50;

/** Creates the table of conversations in `database`. */
export function createSqliteConversations(
  database: DatabaseSync,
  { guard, runFigures, readRun, deleteFamilies }: SqliteConversationsOptions,
): ConversationTable {
  const turnsOf = database.prepare(
    "SELECT id FROM runs WHERE conversation = ? AND parent_id IS NULL ORDER BY rowid",
  );
  const unfinished = database.prepare(
    `SELECT id FROM runs WHERE ended_at IS NULL
       AND root_id IN (SELECT id FROM runs WHERE conversation = ? AND parent_id IS NULL)`,
  );
  const madeFrom = database.prepare(continuing);
  const describe = database.prepare(
    `INSERT INTO conversations (id, title, archived) VALUES ($id, $title, COALESCE($archived, 0))
     ON CONFLICT (id) DO UPDATE SET
       title = CASE WHEN $keepsTitle THEN title ELSE excluded.title END,
       archived = COALESCE($archived, archived)`,
  );
  const turnIds = (id: string): string[] => turnsOf.all(id).map((row) => String(row["id"]));

  function toConversation(row: Record<string, unknown>): StoredConversation {
    const id = String(row["conversation"]);
    const ids = turnIds(id);
    const [first, last] = [readRun(ids[0] ?? ""), readRun(ids.at(-1) ?? "")];
    if (first === undefined || last === undefined) {
      throw new DamagedContent(`the conversation ${id} has no runs`);
    }
    return {
      id,
      title: typeof row["title"] === "string" ? row["title"] : null,
      isArchived: row["archived"] === 1,
      first,
      last,
      turns: ids.length,
      lastActivityAt: Number(row["active_at"]),
      figures: addUpRuns(runFigures(ids, readRun)),
    };
  }

  return {
    list: async (filter = {}) => guard(() => selectRows(database, filter).map(toConversation)),
    async describe(id, { title, isArchived }) {
      const values = {
        id,
        title: title ?? null,
        keepsTitle: title === undefined ? 1 : 0,
        archived: isArchived === undefined ? null : Number(isArchived),
      };
      guard(() => withLongWait(database, () => describe.run(values)));
    },
    continuedBy: async (id) => guard(() => madeFrom.all(id, id).map((row) => String(row["id"]))),
    async delete(id) {
      const ids = guard(() => transact(database, () => (refuse(id, unfinished), turnIds(id))));
      return await deleteFamilies(ids);
    },
  };
}

/** @throws CadreError `invalid-argument` when a run of the conversation `id` has not ended. */
function refuse(id: string, unfinished: ReturnType<DatabaseSync["prepare"]>): void {
  const [run] = unfinished.all(id);
  if (run === undefined) return;
  const message = `The conversation ${id} cannot be deleted: its run ${String(run["id"])} has not ended. End it with \`cadre cancel\`, or complete it with \`cadre resume\`.`;
  throw new CadreError("invalid-argument", message);
}

/** Root runs of other conversations that continue a run of the given one. */
const continuing = `
  SELECT made.id FROM runs AS made
    JOIN runs AS before ON before.id = json_extract(made.state, '$.continues')
    JOIN runs AS root ON root.id = before.root_id
    WHERE made.made_from IS NOT NULL AND made.parent_id IS NULL
      AND root.conversation = ? AND made.conversation <> ?
    ORDER BY made.rowid`;

function selectRows(
  database: DatabaseSync,
  { id, text, archived = false, limit = defaultLimit }: ConversationFilter,
): Record<string, unknown>[] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  if (id === undefined) {
    conditions.push("COALESCE(archived, 0) = ?");
    values.push(Number(archived));
  } else {
    conditions.push("conversation = ?");
    values.push(id);
  }
  if (text !== undefined) {
    const pattern = `%${escapeLike(text)}%`;
    conditions.push(contains);
    values.push(pattern, pattern, pattern);
  }
  const query = `
    WITH turns AS (
      SELECT conversation, MAX(rowid) AS last,
          MAX(MAX(created_at), MAX(COALESCE(ended_at, 0))) AS active_at
        FROM runs WHERE parent_id IS NULL AND conversation IS NOT NULL GROUP BY conversation
    )
    SELECT conversation, active_at, title, archived
      FROM turns LEFT JOIN conversations ON conversations.id = conversation
      WHERE ${conditions.join(" AND ")} ORDER BY last DESC LIMIT ?`;
  return database.prepare(query).all(...values, limit);
}

const contains = String.raw`(
  title LIKE ? ESCAPE '\' OR EXISTS (
    SELECT 1 FROM runs AS searched
      WHERE searched.conversation = turns.conversation AND searched.parent_id IS NULL
        AND (json_extract(searched.state, '$.task') LIKE ? ESCAPE '\'
          OR json_extract(searched.state, '$.result.text') LIKE ? ESCAPE '\')
  ))`;
