import { cleanLine, firstLine } from "../terminal/clean-text.ts";
import type { RunResult } from "../../host.ts";

/** The maximum length of JSON on a line, in characters. */
const maxShown = 160;

/** Formats the result of a run on one line: the first line of its text, or its output when it has no text. */
export function resultLine({ text, output }: Pick<RunResult, "text" | "output">): string {
  // JSON in a text spans several lines, and its first line is only a bracket.
  const isTable = /^[[{]\s*\n/.test(text);
  const isSilent = text.trim() === "" && output !== undefined && output !== null;
  if (!isTable && !isSilent) return firstLine(text);
  const json = cleanLine((isSilent ? JSON.stringify(output) : text).replaceAll(/\s+/g, " "));
  return json.length > maxShown ? `${json.slice(0, maxShown - 1).toWellFormed()}…` : json;
}
