import { cleanLine } from "../terminal/clean-text.ts";
import { cutText, padText, textWidth } from "../terminal/text-width.ts";

const gap = "  ";

/**
 * Formats a table: cells are cleaned and aligned, and the last column is cut to fit `columns` columns (default: no limit).
 * Column titles come first.
 */
export function formatTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = Infinity,
): string[] {
  const cells = [titles, ...rows.map((row) => row.map(cleanLine))];
  const widths = titles.map((_, index) =>
    Math.max(...cells.map((row) => textWidth(row[index] ?? ""))),
  );
  return cells.map((row) => {
    const line = row.slice(0, -1).map((cell, index) => padText(cell, widths[index] ?? 0) + gap);
    const start = line.join("");
    const left = Math.max(8, columns - textWidth(start));
    const last = row.at(-1) ?? "";
    return `${start}${Number.isFinite(left) ? cutText(last, left) : last}`.trimEnd();
  });
}
