import { cleanText } from "../clean-text.ts";
import { formatNumberOf } from "../format-value.ts";
import { shortId } from "../run-notes.ts";
import type { RunResult } from "../../index.ts";

/** The most lines of JSON that are written to a terminal. */
const mostLines = 20;
/** The most characters of it. */
const mostCharacters = 2000;

/** The text of a result as it is written out. On a terminal, long JSON is one line that says where to read it. */
export function shownText(
  { runId, text }: Pick<RunResult, "runId" | "text">,
  isTerminal: boolean,
): string {
  const lines = text.split("\n").length;
  const isShort = lines <= mostLines && text.length <= mostCharacters;
  if (!isTerminal || isShort || !isJson(text)) return cleanText(text);
  const size = `${formatNumberOf(lines, "line")}, ${formatNumberOf(text.length, "character")}`;
  return `The result is JSON (${size}): read it with \`cadre show ${shortId(runId)}\`.`;
}

/** Code gives several tables with an empty line between them, which JSON itself never has. */
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
