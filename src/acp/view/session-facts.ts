import type { ConversationUpdate } from "../editor/editor.ts";

/** The title or the usage of a session. */
type Facts = Extract<ConversationUpdate, { type: "title" | "usage" }>;

/** An update that has the same form in both versions of the protocol. */
type FactsUpdate =
  | { sessionUpdate: "session_info_update"; title: string; updatedAt: string }
  | {
      sessionUpdate: "usage_update";
      used: number;
      size: number;
      cost?: { amount: number; currency: string };
    };

/** Converts the title or the usage of a session for an editor of either version. */
export function toFacts(update: Facts): FactsUpdate {
  if (update.type === "title") {
    const { title, updatedAt } = update;
    return { sessionUpdate: "session_info_update", title, updatedAt };
  }
  const { used, size, cost } = update;
  const spent = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
  return { sessionUpdate: "usage_update", used, size, ...spent };
}
