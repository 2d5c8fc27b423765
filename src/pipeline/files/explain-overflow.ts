import { estimateTextTokens } from "../../model/request/estimate-tokens.ts";
import type { Failure } from "../../run/failure.ts";
import type { FileText } from "./read-files.ts";

/** A file in a prompt and its estimated number of tokens. */
export interface SizedFile {
  path: string;
  tokens: number;
}

/** The maximum number of files that a message names. */
const maxNamed = 5;

/** Returns the largest of `files`, largest first. */
export function findLargest(files: readonly FileText[]): SizedFile[] {
  return files
    .map(({ path, text }) => ({ path, tokens: Math.ceil(estimateTextTokens(text)) }))
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, maxNamed);
}

/** Adds the largest files of the prompt to a context overflow; returns other failures unchanged. */
export function explainOverflow(failure: Failure, largest: readonly SizedFile[]): Failure {
  if (failure.details?.["kind"] !== "context-overflow" || largest.length === 0) return failure;
  const files = largest.map(({ path, tokens }) => `${path} (${tokens.toLocaleString("en-US")})`);
  const advice = `The largest files in its prompt, with their tokens: ${files.join(", ")}. Exclude some with \`!PATH\` in the globs, or set a smaller \`max_files_size_kb\`.`;
  const largestFiles = largest.map(({ path, tokens }) => ({ path, tokens }));
  return {
    ...failure,
    message: `${failure.message} ${advice}`,
    details: { ...failure.details, largestFiles },
  };
}
