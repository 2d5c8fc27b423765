import { CadreError } from "../errors.ts";

/** What to search for, and where. */
export interface SearchRequest {
  /** Absolute; what the files are relative to. */
  folder: string;
  files: readonly string[];
  pattern: string;
  ignoreCase: boolean;
  multiline: boolean;
  signal: AbortSignal;
}

/** The numbers of the matching lines, ascending from 1, of each file that has any. */
export type SearchResult = ReadonlyMap<string, readonly number[]>;

/** One way to search: with ripgrep or without, with the same result. */
export type Search = (request: SearchRequest) => Promise<SearchResult>;

/** Matching lines counted in one file. */
export const matchesPerFile = 10_000;

/** @throws CadreError `tool-failed` always: for a pattern neither engine understands. */
export function invalidPattern(pattern: string, why: string): CadreError {
  return new CadreError(
    "tool-failed",
    `${pattern} is not a valid regular expression: ${why}. Escape what is meant literally, such as \\( or \\{.`,
  );
}
