import type { FamilyFigures } from "../run/figures.ts";
import type { RunStatus } from "../run/run.ts";

/**
 * A conversation: a root run, and the root runs that continue it. Each of them is a turn. The figures cover all runs of the
 * conversation.
 */
export interface Conversation extends Omit<FamilyFigures, "turns"> {
  /** The id of its first run. */
  id: string;
  /** The title that a user gave it, else the first line of its first task. */
  title: string;
  /** The agent of its latest turn. */
  agent: string;
  /** The status of its latest turn. */
  status: RunStatus;
  /** The number of turns. */
  turns: number;
  /** The number of model replies in all its runs. */
  replies: number;
  /** When a turn last began or ended, in epoch milliseconds. */
  lastActivityAt: number;
  isArchived: boolean;
  /** The latest turn. */
  lastRunId: string;
  /** Whether it can be continued when its latest turn has ended: the agent is not a program. */
  readsMessages: boolean;
}

/** Selects the conversations to list. */
export interface ConversationListOptions {
  /** Only the conversation of this run, archived or not: its id, the part of it after the dash, or `last`. */
  run?: string;
  /** Text that the title, a task or an answer contains. */
  text?: string;
  /** List archived conversations instead of the others. Default false. */
  archived?: boolean;
  /** Default 50. */
  limit?: number;
}
