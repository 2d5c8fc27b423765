/**
 * Makes a function that is told a Markdown text line by line and says whether each belongs to a fenced block of code, fences
 * included. As in AIPack, a block ends at the next line that begins with as many backticks, whatever follows them.
 */
export function createFenceReader(): (line: string) => boolean {
  let open = 0;
  return (line) => {
    const ticks = /^`{3,}/.exec(line)?.[0].length ?? 0;
    if (ticks > 0 && (open === 0 || open === ticks)) {
      open = open === 0 ? ticks : 0;
      return true;
    }
    return open > 0;
  };
}
