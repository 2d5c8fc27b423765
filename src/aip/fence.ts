/**
 * Makes a function that is told a Markdown text line by line and says whether each belongs to a fenced block of code, fences
 * included. As in AIPack, a block ends at the next line that begins with as many backticks, whatever follows them.
 *
 * @param isOpening whether so many backticks, outside of a block, begin one; by default they always do.
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

/** Whether the block that so many backticks in the line `start` begin has an end: they come next alone on a line. */
export function hasFenceEnd(lines: readonly string[], start: number, ticks: number): boolean {
  const end = lines.findIndex((line, index) => index > start && countTicks(line) === ticks);
  return lines[end]?.trimEnd().length === ticks;
}

function countTicks(line: string): number {
  return /^`{3,}/.exec(line)?.[0].length ?? 0;
}
