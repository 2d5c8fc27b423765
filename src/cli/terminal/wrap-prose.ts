import { textWidth } from "./text-width.ts";

/** The indentation of a line, with the mark of an item of a list. Further lines of the item stand under its text. */
const beginning = /^\s*(?:(?:[-*+]|\d{1,3}[.)]) )?/;

/**
 * Wraps the lines of a text in Markdown between words. Keeps what depends on its lines: fenced code, lines indented as code, tables
 * and JSON.
 */
export function wrapProse(lines: readonly string[], columns: number): string[] {
  if (!Number.isFinite(columns)) return [...lines];
  let fence: string | undefined;
  return lines.flatMap((line) => {
    const [mark] = /^\s*(?:`{3,}|~{3,})/.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const isKept = fence !== undefined || opens || /^(?: {4}|\s*\t| *[|{[])/.test(line);
    if (opens) fence = mark.trim();
    else if (fence !== undefined && mark?.trim().startsWith(fence) === true) fence = undefined;
    return isKept ? [line] : wrapLine(line, columns);
  });
}

/**
 * Wraps a line between words. Keeps a word that is longer than a line whole, so that the terminal still recognizes a path or an
 * address.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const [start = ""] = beginning.exec(line) ?? [];
  const below = " ".repeat(textWidth(start));
  const lines: string[] = [];
  let last = start;
  for (const word of line.slice(start.length).split(/(?<=\s)(?=\S)/)) {
    const fits = textWidth((last + word).trimEnd()) <= columns;
    if (!fits && last.trim() !== start.trim()) {
      lines.push(last.trimEnd());
      last = below;
    }
    last += word;
  }
  return [...lines, last.trimEnd()];
}
