/**
 * Returns the lines of a terminal after `output`, including those scrolled out of view. Handles the control sequences that move the
 * cursor and erase. Any other sequence except styles and modes is an error, because nothing else should be written.
 */
export function readScreen(output: string): string[] {
  const lines: string[][] = [[]];
  const at = { row: 0, column: 0 };
  const line = (): string[] => (lines[at.row] ??= []);
  const moves: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => (at.row = Math.max(0, at.row - count)),
    B: (count) => (at.row += count),
    C: (count) => (at.column += count),
    D: (count) => (at.column = Math.max(0, at.column - count)),
    E: (count) => Object.assign(at, { row: at.row + count, column: 0 }),
    G: (count) => (at.column = count - 1),
  };
  for (const [token, , digits = "", final = ""] of output.matchAll(sequence)) {
    if (token === "\r") at.column = 0;
    else if (token === "\n") at.row += 1;
    else if (final === "") line()[at.column++] = token;
    else if (final === "K") line().splice(digits === "2" ? 0 : at.column);
    else if (final === "J") lines.splice(at.row + 1);
    else if (moves[final] !== undefined) moves[final](Number(digits || "1"));
    else if (!"mhl".includes(final)) throw new Error(`unexpected ${JSON.stringify(token)}`);
  }
  return Array.from(lines, (cells) => Array.from(cells ?? [], (cell) => cell ?? " ").join(""));
}

/** Matches a control sequence with its numbers and last character, or one character. */
const sequence = new RegExp(String.raw`\u001b\[(\??)([\d;]*)([A-Za-z])|[^]`, "gu");
