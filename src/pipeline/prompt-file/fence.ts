/** A fenced block of Markdown by the rules of CommonMark; line indices are 0-based. */
export interface Fence {
  /** The line of the opening fence. */
  open: number;
  /** The line of the closing fence; `null` for an unclosed block, which extends to the end. */
  close: number | null;
  /** The first word after the opening fence, in lower case; empty without one. */
  language: string;
}

const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)/;

/** Finds the fenced blocks of Markdown, in order. A fence inside another block is text of that block. */
export function findFences(lines: readonly string[]): Fence[] {
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const match = opening.exec(lines[at] ?? "");
    if (match === null) continue;
    const [, mark = "", language = ""] = match;
    const close = findClose(lines, at + 1, mark);
    fences.push({ open: at, close, language: language.toLowerCase() });
    at = close ?? lines.length;
  }
  return fences;
}

function findClose(lines: readonly string[], from: number, mark: string): number | null {
  const closing = new RegExp(`^ {0,3}${mark[0] ?? ""}{${mark.length},}[ \\t]*$`);
  for (let at = from; at < lines.length; at += 1) if (closing.test(lines[at] ?? "")) return at;
  return null;
}
