import { beginning, joinParagraph, readParagraphs } from "./read-paragraphs.ts";
import { textWidth } from "./text-width.ts";

/**
 * Wraps the lines of a text in Markdown between words. Paragraphs whose author wrapped them at more columns are wrapped anew. Keeps
 * what depends on its lines: fenced code, lines indented as code, tables and JSON.
 */
export function wrapProse(lines: readonly string[], columns: number): string[] {
  if (!Number.isFinite(columns)) return [...lines];
  return readParagraphs(lines).flatMap(({ lines: paragraph, isKept }) => {
    if (isKept || paragraph.every((line) => textWidth(line) <= columns)) return paragraph;
    return joinParagraph(paragraph).flatMap((line) => wrapLine(line, columns));
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
