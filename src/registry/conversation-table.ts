import type { FamilyFigures } from "../run/figures.ts";
import type { Run } from "../run/run.ts";
import type { Pruned } from "./pruned.ts";

/** A conversation as a registry keeps it: a root run, and the root runs that continue it. */
export interface StoredConversation {
  /** The id of its first run. */
  id: string;
  /** The title that a user gave it; `null` = none. */
  title: string | null;
  isArchived: boolean;
  first: Run;
  /** The turn that began last. */
  last: Run;
  /** The number of its root runs. */
  turns: number;
  /** Epoch milliseconds of the last beginning or end of a turn. */
  lastActivityAt: number;
  /** The figures of all its runs together, of all families. */
  figures: FamilyFigures;
}

/** Selects the conversations to list. */
export interface ConversationFilter {
  /** Only the one with this id. */
  id?: string;
  /** Text that its title, or a task or an answer of its turns contains; letters of ASCII match in either case. */
  text?: string;
  /** Default false: only those that are not archived. */
  archived?: boolean;
  /** Default 50. */
  limit?: number;
}

/** Lists, names, archives and deletes conversations. */
export interface ConversationTable {
  /** The conversations, that with the latest turn first. */
  list(filter?: ConversationFilter): Promise<StoredConversation[]>;
  /** Sets the title, or removes it with `null`; sets whether the conversation is archived. */
  describe(id: string, changes: { title?: string | null; isArchived?: boolean }): Promise<void>;
  /** Returns the ids of the runs outside of the conversation that continue one of its runs, such as forks. */
  continuedBy(id: string): Promise<string[]>;
  /** Deletes the conversation with everything that only it uses. None of its runs may be unfinished. */
  delete(id: string): Promise<Pruned>;
}
