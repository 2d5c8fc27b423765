import { estimateTextTokens } from "../../model/request/estimate-tokens.ts";
import type { Failure } from "../../run/failure.ts";
import type { FileText } from "../read-files.ts";

/** A file in a prompt, and about how many tokens it has. */
export interface SizedFile {
  path: string;
  tokens: number;
}

/** How many files a message names. */
const mostNamed = 5;

/** The largest of `files`, the largest first. */
export function findLargest(files: readonly FileText[]): SizedFile[] {
  return files
    .map(({ path, text }) => ({ path, tokens: Math.ceil(estimateTextTokens(text)) }))
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, mostNamed);
}

/** The failure of the coder; where its prompt was too long for the model, with the files that made it so. */
export function explainOverflow(failure: Failure, largest: readonly SizedFile[]): Failure {
  if (failure.details?.["kind"] !== "context-overflow" || largest.length === 0) return failure;
  const files = largest.map(({ path, tokens }) => `${path} (${tokens.toLocaleString("en-US")})`);
  const advice = `The largest files in its prompt, with their tokens: ${files.join(", ")}. Leave some out with \`!PATH\` in the globs, or give a smaller \`max_files_size_kb\`.`;
  const largestFiles = largest.map(({ path, tokens }) => ({ path, tokens }));
  return {
    ...failure,
    message: `${failure.message} ${advice}`,
    details: { ...failure.details, largestFiles },
  };
}
