import { revealText } from "./clean-text.ts";
import { wrapText } from "./text-width.ts";

/** What every line of a quote begins with. */
const bar = "  │ ";

/**
 * Untrusted text in lines of less than `columns` columns, each behind a bar and with its control characters made visible, so
 * that it cannot pass itself off as part of a question.
 */
export function quoteLines(text: string, columns: number): string[] {
  return revealText(text)
    .split("\n")
    .flatMap((line) => wrapText(line, columns - bar.length - 1))
    .map((line) => bar + line);
}

/** Own lines wrapped to less than `columns` columns; quoted ones are already. */
export function wrapOwnLines(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => (line.startsWith(bar) ? [line] : wrapText(line, columns - 1)));
}
