import type { RunResult } from "./result.ts";

/** What a result says to whoever delegated: the words of the agent, and its output where they do not hold it. */
export function answerOf({ text, output }: Pick<RunResult, "text" | "output">): string {
  if (output === undefined) return text;
  const json = JSON.stringify(output);
  if (text === "" || text === json) return json;
  return text.includes(json) ? text : `${text}\n\nOutput:\n${json}`;
}
