import { cleanText } from "../terminal/clean-text.ts";
import { formatNumberOf } from "./format-value.ts";
import { shortRunId } from "../../short-run-id.ts";
import type { RunResult } from "../../host.ts";

/** The maximum number of lines of JSON written to a terminal. */
const maxLines = 20;
/** The maximum number of characters of JSON written to a terminal. */
const maxCharacters = 2000;

/** Returns the text of a result for output. On a terminal, long JSON becomes one line that says where to read it. */
export function shownText(
  { runId, text }: Pick<RunResult, "runId" | "text">,
  isTerminal: boolean,
): string {
  const lines = text.split("\n").length;
  const isShort = lines <= maxLines && text.length <= maxCharacters;
  if (!isTerminal || isShort || !isJson(text)) return cleanText(text);
  const size = `${formatNumberOf(lines, "line")}, ${formatNumberOf(text.length, "character")}`;
  return `The result is JSON (${size}): read it with \`cadre show ${shortRunId(runId)}\`.`;
}

/** Reports whether the text is JSON: one value, or several separated by empty lines, which formatted JSON never contains. */
function isJson(text: string): boolean {
  return text.split("\n\n").every((part) => /^\s*[[{]/.test(part) && canParse(part));
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
