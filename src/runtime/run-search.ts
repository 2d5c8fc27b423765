import type { RunOverview } from "../run/run-overview.ts";

/** What is searched for. */
export interface RunSearch {
  /** Words that a text must contain, each or its beginning, in any order; case and accents do not matter. At most 1,000 characters. */
  text: string;
  /** The most runs to return, from 1 to 100. Default 20. */
  limit?: number;
  /** `next` of the answer before. */
  cursor?: string;
}

/** The kind of a text: who said it. */
export type SaidKind = "task" | "message" | "answer" | "call" | "result" | "failure";

/** A run that said something that matches. */
export interface FoundRun {
  run: RunOverview;
  /** Its last matching text. */
  kind: SaidKind;
  /** The number of the event with the text. */
  seq: number;
  /** A passage of the text. */
  excerpt: readonly { text: string; isMatch: boolean }[];
}

/** The runs that match, that with the latest matching text first. */
export interface FoundRuns {
  hits: FoundRun[];
  /** What to ask the next page with; `null` = there is none. */
  next: string | null;
  /** Whether the whole journal was searched: else the index is being made, and a later search finds more. */
  isComplete: boolean;
}
