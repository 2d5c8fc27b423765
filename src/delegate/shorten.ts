const longestDescription = 500;

/** A description on one line: those in the wild run over pages, and lists of them are sent with every request. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= longestDescription ? line : `${line.slice(0, longestDescription - 1)}…`;
}

/** What a title shows of a task. */
export function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
