import { revealText } from "./clean-text.ts";
import { wrapText } from "./text-width.ts";

/** The start of each line of a quote. */
const bar = "  │ ";

/**
 * Quotes untrusted text in lines of less than `columns` columns. Each line stands behind a bar, with its control characters made
 * visible, so that it cannot imitate a question.
 */
export function quoteLines(text: string, columns: number): string[] {
  return revealText(text)
    .split("\n")
    .flatMap((line) => wrapText(line, columns - bar.length - 1))
    .map((line) => bar + line);
}

/** Wraps Cadre's own lines to less than `columns` columns; quoted lines are wrapped already. */
export function wrapOwnLines(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => (line.startsWith(bar) ? [line] : wrapText(line, columns - 1)));
}
