/**
 * Creates a function that receives the lines of a Markdown text in order and reports whether each belongs to a fenced code block,
 * fences included. As in AIPack and unlike CommonMark, a fence is not indented, and a block ends at the next line with the same
 * number of backticks, whatever follows them.
 *
 * @param isOpening reports whether a number of backticks outside a block begins one; default always.
 */
export function createFenceReader(
  isOpening: (ticks: number) => boolean = () => true,
): (line: string) => boolean {
  let open = 0;
  return (line) => {
    const ticks = countTicks(line);
    if (ticks > 0 && (open === 0 ? isOpening(ticks) : open === ticks)) {
      open = open === 0 ? ticks : 0;
      return true;
    }
    return open > 0;
  };
}

/** Reports whether the block that begins on line `start` has an end: the next line with `ticks` backticks has nothing else. */
export function hasFenceEnd(lines: readonly string[], start: number, ticks: number): boolean {
  const end = lines.findIndex((line, index) => index > start && countTicks(line) === ticks);
  return lines[end]?.trimEnd().length === ticks;
}

function countTicks(line: string): number {
  return /^`{3,}/.exec(line)?.[0].length ?? 0;
}
