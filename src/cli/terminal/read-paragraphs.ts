import { textWidth } from "./text-width.ts";

/** The indentation of a line, with the mark of an item of a list. Further lines of the item stand under its text. */
export const beginning: RegExp = /^\s*(?:(?:[-*+]|\d{1,3}[.)]) )?/;

/** The lines of a paragraph or of an item of a list, or a line to keep: code, a row of a table or JSON. */
interface Paragraph {
  lines: string[];
  isKept: boolean;
}

/** The most columns at which people wrap a text. A longer line is a paragraph of its own. */
const maxColumns = 150;

/** Divides a text in Markdown into its paragraphs. */
export function readParagraphs(lines: readonly string[]): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const [mark] = /^\s*(?:`{3,}|~{3,})/.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const isKept = fence !== undefined || opens || /^(?: {4}|\s*\t| *[|{[])/.test(line);
    if (opens) fence = mark.trim();
    else if (fence !== undefined && mark?.trim().startsWith(fence) === true) fence = undefined;
    const last = paragraphs.at(-1);
    if (!isKept && last?.isKept === false && continues(line, last.lines[0] ?? "")) {
      last.lines.push(line);
    } else paragraphs.push({ lines: [line], isKept });
  }
  return paragraphs;
}

/** Reports whether a line belongs to the paragraph that begins with `first`: it has text under that of `first`, and no mark. */
function continues(line: string, first: string): boolean {
  const [start = ""] = beginning.exec(line) ?? [];
  const [above = ""] = beginning.exec(first) ?? [];
  const isUnder = start.trim() === "" && textWidth(start) === textWidth(above);
  return isUnder && isText(line) && isText(first);
}

/** Reports whether a line has words and no mark of a heading or a quote. */
function isText(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !/^\s*[#>]/.test(line);
}

/**
 * Returns the paragraph as one line if its author wrapped it: the next word never fitted. Otherwise its line breaks have a meaning,
 * as in a list of names, and its lines are returned.
 */
export function joinParagraph(lines: readonly string[]): readonly string[] {
  const width = Math.max(...lines.map((line) => textWidth(line.trimEnd())));
  const isWrapped = lines.slice(1).every((line, index) => {
    const above = lines[index] ?? "";
    const [word = ""] = /\S+/.exec(line) ?? [];
    const isBreak = /(?: {2}|\\)$/.test(above);
    const isWord = !/\S\s+\S/.test(above);
    return !isBreak && !isWord && textWidth(above.trimEnd()) + 1 + textWidth(word) > width;
  });
  if (!isWrapped || width > maxColumns) return lines;
  return [lines.map((line, index) => (index === 0 ? line.trimEnd() : line.trim())).join(" ")];
}
