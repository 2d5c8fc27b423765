import { CadreError } from "../../errors.ts";
import { addUpRuns } from "../../run/figures.ts";
import type { Run } from "../../run/run.ts";
import type {
  ConversationFilter,
  ConversationTable,
  StoredConversation,
} from "../conversation-table.ts";
import { DamagedContent } from "../damaged-content.ts";
import { escapeLike } from "../escape-like.ts";
import type { Row } from "./connection/connections.ts";
import type { Database } from "./connection/database.ts";
import { deleteFamilies } from "./prune-schema.ts";
import type { RemoteQueries } from "./remote-queries.ts";

/** The options of {@link createPostgresConversations}. */
export interface PostgresConversationsOptions {
  /** The quoted schema. */
  schema: string;
  queries: Pick<RemoteQueries, "runFigures" | "runsOf">;
  live: (id: string) => Run | undefined;
}

const defaultLimit = 50;

/** Creates the table of conversations in `database`. */
export function createPostgresConversations(
  database: Pick<Database, "query">,
  { schema: s, queries, live }: PostgresConversationsOptions,
): ConversationTable {
  const { query } = database;

  return {
    async list(filter = {}) {
      const { text, values } = selectConversations(filter, s);
      return await Promise.all(
        (await query(text, values)).map((row) => toConversation(row, { queries, live })),
      );
    },
    async describe(id, { title, isArchived }) {
      await query(
        `INSERT INTO ${s}.conversations AS kept (id, title, archived) VALUES ($1, $2, COALESCE($4, false))
          ON CONFLICT (id) DO UPDATE SET
            title = CASE WHEN $3 THEN kept.title ELSE excluded.title END,
            archived = COALESCE($4, kept.archived)`,
        [id, title ?? null, title === undefined, isArchived ?? null],
      );
    },
    async continuedBy(id) {
      const rows = await query(
        `SELECT made.id FROM ${s}.runs AS made
          JOIN ${s}.runs AS before ON before.id = made.continues
          JOIN ${s}.runs AS root ON root.id = before.root_id
          WHERE made.parent_id IS NULL AND root.conversation = $1 AND made.conversation <> $1
          ORDER BY made.number`,
        [id],
      );
      return rows.map((row) => String(row["id"]));
    },
    async delete(id) {
      const turns = `SELECT id FROM ${s}.runs WHERE conversation = $1 AND parent_id IS NULL`;
      const [unfinished] = await query(
        `SELECT id FROM ${s}.runs WHERE ended_at IS NULL AND root_id IN (${turns})`,
        [id],
      );
      if (unfinished !== undefined) throw notEnded(id, String(unfinished["id"]));
      const rows = await query(`${turns} ORDER BY number`, [id]);
      return await deleteFamilies(
        database,
        s,
        rows.map((row) => String(row["id"])),
      );
    },
  };
}

/** Reads a conversation from its row. */
async function toConversation(
  row: Row,
  { queries, live }: Pick<PostgresConversationsOptions, "queries" | "live">,
): Promise<StoredConversation> {
  const id = String(row["conversation"]);
  const ids = row["turns"] as string[];
  const ends = await queries.runsOf([ids[0] ?? "", ids.at(-1) ?? ""]);
  const [first, last] = [ends[0], ends.at(-1)].map((run) => run && (live(run.id) ?? run));
  if (first === undefined || last === undefined) {
    throw new DamagedContent(`the conversation ${id} has no runs`);
  }
  return {
    id,
    title: typeof row["title"] === "string" ? row["title"] : null,
    isArchived: row["archived"] === true,
    first,
    last,
    turns: ids.length,
    lastActivityAt: Number(row["active_at"]),
    figures: addUpRuns(await queries.runFigures(ids, live)),
  };
}

function notEnded(id: string, runId: string): CadreError {
  const message = `The conversation ${id} cannot be deleted: its run ${runId} has not ended. End it with \`cadre cancel\`, or complete it with \`cadre resume\`.`;
  return new CadreError("invalid-argument", message);
}

function selectConversations(
  { id, text, archived = false, limit = defaultLimit }: ConversationFilter,
  s: string,
): { text: string; values: unknown[] } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${values.push(value)}`;
  if (id === undefined) conditions.push(`COALESCE(archived, false) = ${next(archived)}`);
  else conditions.push(`conversation = ${next(id)}`);
  if (text !== undefined) {
    const pattern = next(`%${escapeLike(text)}%`);
    const has = (column: string): string => `${ascii(column)} LIKE ${ascii(`${pattern}::text`)}`;
    conditions.push(`(${has("title")} OR EXISTS (
      SELECT FROM ${s}.runs AS searched WHERE searched.conversation = turns.conversation AND searched.parent_id IS NULL
        AND (${has("searched.task")} OR ${has("searched.answer")})))`);
  }
  const query = `
    WITH turns AS (
      SELECT conversation, array_agg(id ORDER BY number) AS turns, max(number) AS last,
          greatest(max(created_at), max(ended_at)) AS active_at
        FROM ${s}.runs WHERE parent_id IS NULL GROUP BY conversation
    )
    SELECT conversation, turns, active_at, title, archived
      FROM turns LEFT JOIN ${s}.conversations ON conversations.id = conversation
      WHERE ${conditions.join(" AND ")} ORDER BY last DESC LIMIT ${next(limit)}`;
  return { text: query, values };
}

/** In lower case, for ASCII letters only. */
function ascii(expression: string): string {
  return `lower(${expression} COLLATE "C")`;
}
