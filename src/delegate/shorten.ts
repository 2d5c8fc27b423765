const longestDescription = 500;
const shortestDescription = 30;
/** What the descriptions of a whole list may take together, in characters. */
const longestList = 30_000;

/**
 * A description on one line, of a list of `count`: those in the wild run over pages, and lists of them are sent with every
 * request, so the longer a list is the less is said of each.
 */
export function oneLine(text: string, count: number): string {
  const share = Math.floor(longestList / Math.max(1, count));
  const most = Math.min(longestDescription, Math.max(shortestDescription, share));
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** What a title shows of a task. */
export function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
