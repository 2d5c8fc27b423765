/** The conversations of a registry and the continuations between them, by the ids of root runs. */
export interface ConversationLinks {
  /** The conversation of each root run. */
  conversations: ReadonlyMap<string, string>;
  /** A run of the family `made` continues one of the family `before`. */
  links: readonly { made: string; before: string }[];
}

/**
 * Selects from the ended families `ended` (ids of roots) those that nothing needs: the whole conversation has ended, and no kept
 * run, such as a fork, continues one of its runs.
 */
export function selectUnneeded(
  ended: readonly string[],
  { conversations, links }: ConversationLinks,
): string[] {
  const isEnded = new Set(ended);
  const conversationOf = (rootId: string): string => conversations.get(rootId) ?? rootId;
  const kept = new Set<string>();
  for (const [rootId, conversation] of conversations) {
    if (!isEnded.has(rootId)) kept.add(conversation);
  }
  // The set grows during the loop.
  for (const one of kept) {
    for (const { made, before } of links) {
      if (conversationOf(made) === one) kept.add(conversationOf(before));
    }
  }
  return ended.filter((rootId) => !kept.has(conversationOf(rootId)));
}
