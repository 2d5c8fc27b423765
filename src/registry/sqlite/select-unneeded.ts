import type { DatabaseSync } from "node:sqlite";

/**
 * Returns those of the ended families `ended` (ids of roots) whose conversation has ended as a whole, and none of whose
 * runs is continued by a run that is kept, such as a fork.
 */
export function selectUnneeded(database: DatabaseSync, ended: readonly string[]): string[] {
  const isEnded = new Set(ended);
  const conversations = new Map(
    database
      .prepare("SELECT id, conversation FROM runs WHERE parent_id IS NULL")
      .all()
      .map((row) => [String(row["id"]), String(row["conversation"])]),
  );
  const conversationOf = (rootId: string): string => conversations.get(rootId) ?? rootId;
  const kept = new Set<string>();
  for (const [rootId, conversation] of conversations) {
    if (!isEnded.has(rootId)) kept.add(conversation);
  }
  const links = database
    .prepare(
      `SELECT made.root_id AS made, before.root_id AS before FROM runs AS made
         JOIN runs AS before ON before.id = json_extract(made.state, '$.continues')
         WHERE made.made_from IS NOT NULL`,
    )
    .all()
    .map((row) => ({
      made: conversationOf(String(row["made"])),
      before: conversationOf(String(row["before"])),
    }));
  // The set grows during the loop.
  for (const one of kept) {
    for (const { made, before } of links) if (made === one) kept.add(before);
  }
  return ended.filter((rootId) => !kept.has(conversationOf(rootId)));
}
