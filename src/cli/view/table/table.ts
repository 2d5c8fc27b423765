// Lists as tables of columns.

import { cleanLine } from "../../terminal/clean-text.ts";
import { cutText, padText, textWidth } from "../../terminal/text-width.ts";

const gap = "  ";

/** The minimum width of a cut column, and of the last one. */
const least = { column: 8, last: 14 } as const;

/**
 * Formats a table below its column titles. Cells are cleaned, aligned and cut to fit `columns` columns (default: no limit). The last
 * column is cut first; the first column identifies the row and is never cut.
 */
export function formatTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = Infinity,
): string[] {
  const cells = [titles, ...rows.map((row) => row.map(cleanLine))];
  const widths = fitWidths(
    titles.map((_, index) => Math.max(...cells.map((row) => textWidth(row[index] ?? "")))),
    columns,
  );
  return cells.map((row) => {
    const line = row.slice(0, -1).map((cell, index) => {
      const width = widths[index] ?? 0;
      return padText(cutText(cell, width), width) + gap;
    });
    return `${line.join("")}${cutText(row.at(-1) ?? "", widths.at(-1) ?? 0)}`.trimEnd();
  });
}

/** Takes width from the last column, then from the widest columns, until the table fits. */
function fitWidths(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const last = fitted.length - 1;
  const tooWide = (): number =>
    fitted.reduce((sum, width) => sum + width, last * gap.length) - columns;
  const shrink = (index: number, to: number): void => {
    fitted[index] = Math.max(Math.min(to, fitted[index] ?? 0), (fitted[index] ?? 0) - tooWide());
  };
  if (tooWide() > 0) shrink(last, least.last);
  while (tooWide() > 0) {
    const inner = fitted.slice(1, last);
    const widest = inner.indexOf(Math.max(...inner)) + 1;
    if (inner.length === 0 || (fitted[widest] ?? 0) <= least.column) break;
    shrink(widest, (fitted[widest] ?? 0) - 1);
  }
  if (tooWide() > 0) shrink(last, least.column);
  return fitted;
}
