import type { DatabaseSync } from "node:sqlite";
import type { ConversationLinks } from "../select-unneeded.ts";

/** Reads the conversations of all root runs, and the continuations between families. */
export function readConversationLinks(database: DatabaseSync): ConversationLinks {
  const roots = database.prepare("SELECT id, conversation FROM runs WHERE parent_id IS NULL").all();
  const links = database
    .prepare(
      `SELECT made.root_id AS made, before.root_id AS before FROM runs AS made
         JOIN runs AS before ON before.id = json_extract(made.state, '$.continues')
         WHERE made.made_from IS NOT NULL`,
    )
    .all();
  return {
    conversations: new Map(roots.map((row) => [String(row["id"]), String(row["conversation"])])),
    links: links.map((row) => ({ made: String(row["made"]), before: String(row["before"]) })),
  };
}
