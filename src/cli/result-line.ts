import { cleanLine, firstLine } from "./clean-text.ts";
import type { RunResult } from "../index.ts";

/** The most characters of JSON that a line shows. */
const mostShown = 160;

/** What a run came to, on one line: the first of its text, or its output where that is all it gave. */
export function resultLine({ text, output }: Pick<RunResult, "text" | "output">): string {
  // Code that gives tables as a text writes them over several lines, of which the first says nothing.
  const isTable = /^[[{]\s*\n/.test(text);
  const isSilent = text.trim() === "" && output !== undefined && output !== null;
  if (!isTable && !isSilent) return firstLine(text);
  const json = cleanLine((isSilent ? JSON.stringify(output) : text).replaceAll(/\s+/g, " "));
  return json.length > mostShown ? `${json.slice(0, mostShown - 1).toWellFormed()}…` : json;
}
