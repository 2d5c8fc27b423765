import type { RunOverview } from "../run/run-overview.ts";

/** A search request. */
export interface RunSearch {
  /**
   * Words that a text must contain, whole or by their beginnings, in any order. Case and accents do not matter. At most 1,000
   * characters.
   */
  text: string;
  /** The maximum number of runs, from 1 to 100. Default 20. */
  limit?: number;
  /** `next` of the previous answer. */
  cursor?: string;
}

/** The kind of a text, by its author. */
export type SaidKind = "task" | "message" | "answer" | "call" | "result" | "failure";

/** A run with a matching text. */
export interface FoundRun {
  run: RunOverview;
  /** Its last matching text. */
  kind: SaidKind;
  /** The number of the event with the text. */
  seq: number;
  /** A passage of the text. */
  excerpt: readonly { text: string; isMatch: boolean }[];
}

/** The matching runs. The one with the latest matching text comes first. */
export interface FoundRuns {
  hits: FoundRun[];
  /** The cursor of the next page; `null` = there is none. */
  next: string | null;
  /** Whether the whole journal was searched. Otherwise the index is being built, and a later search finds more. */
  isComplete: boolean;
}
