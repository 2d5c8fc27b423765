// Search: walks folders by the rules of .gitignore, and searches files with ripgrep or a regex engine.

import { CadreError } from "../../errors.ts";

/** A search request. */
export interface SearchRequest {
  /** The folder that the files are relative to; absolute. */
  folder: string;
  files: readonly string[];
  pattern: string;
  ignoreCase: boolean;
  multiline: boolean;
  signal: AbortSignal;
}

/** The numbers of the matching lines per file, ascending from 1, for files with matches. */
export type SearchResult = ReadonlyMap<string, readonly number[]>;

/** A search engine. All engines return the same result. */
export type Search = (request: SearchRequest) => Promise<SearchResult>;

/** The maximum number of matching lines counted in one file. */
export const matchesPerFile = 10_000;

/** Returns the error for a pattern that neither engine accepts. */
export function invalidRegex(pattern: string, why: string): CadreError {
  return new CadreError(
    "tool-failed",
    `${pattern} is not a valid regular expression: ${why}. Escape literal characters, such as \\( or \\{.`,
  );
}
