import type { RunResult } from "./result.ts";

/**
 * Returns the text of a result for the delegating agent: its text, with its output appended unless the text contains
 * it.
 */
export function answerOf({ text, output }: Pick<RunResult, "text" | "output">): string {
  if (output === undefined) return text;
  const json = JSON.stringify(output);
  if (text === "" || text === json) return json;
  return text.includes(json) ? text : `${text}\n\nOutput:\n${json}`;
}
