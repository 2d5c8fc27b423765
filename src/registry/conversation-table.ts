import type { FamilyFigures } from "../run/figures.ts";
import type { Run } from "../run/run.ts";
import type { Pruned } from "./pruned.ts";

/** A stored conversation: a root run, and the root runs that continue it. */
export interface StoredConversation {
  /** The id of its first run. */
  id: string;
  /** The title that a user gave it; `null` = none. */
  title: string | null;
  isArchived: boolean;
  first: Run;
  /** The latest turn. */
  last: Run;
  /** The number of its root runs. */
  turns: number;
  /** When a turn last began or ended, in epoch milliseconds. */
  lastActivityAt: number;
  /** The combined figures of all runs in all its families. */
  figures: FamilyFigures;
}

/** Selects the conversations to list. */
export interface ConversationFilter {
  /** Only the conversation with this id. */
  id?: string;
  /** Text in its title, or in a task or an answer of its turns. ASCII letters match in either case. */
  text?: string;
  /** Whether to list the archived conversations or the others. Default false. */
  archived?: boolean;
  /** Default 50. */
  limit?: number;
}

/** Lists, names, archives and deletes conversations. */
export interface ConversationTable {
  /** Lists conversations. The one with the latest turn comes first. */
  list(filter?: ConversationFilter): Promise<StoredConversation[]>;
  /** Sets or, with `null`, removes the title. Sets whether the conversation is archived. */
  describe(id: string, changes: { title?: string | null; isArchived?: boolean }): Promise<void>;
  /** Returns the ids of runs outside the conversation that continue one of its runs, such as forks. */
  continuedBy(id: string): Promise<string[]>;
  /** Deletes the conversation and everything that only it uses. None of its runs may be unfinished. */
  delete(id: string): Promise<Pruned>;
}
