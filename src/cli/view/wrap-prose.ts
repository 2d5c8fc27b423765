import { textWidth, wrapWords } from "../terminal/text-width.ts";

/** The start of an item of a list in Markdown. Its further lines stand under its text. */
const item = /^(?:[-*+]|\d{1,3}[.)]) /;

/**
 * Wraps the lines of a text in Markdown at words. Keeps what depends on its columns: fenced code, indented lines and tables.
 */
export function wrapProse(lines: readonly string[], columns: number): string[] {
  if (!Number.isFinite(columns)) return [...lines];
  let fence: string | undefined;
  return lines.flatMap((line) => {
    const [mark] = /^\s*(?:`{3,}|~{3,})/.exec(line) ?? [];
    const opens = fence === undefined && mark !== undefined;
    const isKept = fence !== undefined || opens || /^[\s|]/.test(line);
    if (opens) fence = mark.trim();
    else if (fence !== undefined && mark?.trim().startsWith(fence) === true) fence = undefined;
    return isKept || textWidth(line) <= columns ? [line] : wrapLine(line, columns);
  });
}

function wrapLine(line: string, columns: number): string[] {
  const [start = ""] = item.exec(line) ?? [];
  const [first = "", ...more] = wrapWords(line.slice(start.length), columns - start.length);
  const below = " ".repeat(start.length);
  return [start + first, ...more.map((rest) => below + rest)].map((one) => one.trimEnd());
}
