const maxDescriptionLength = 500;
const minDescriptionLength = 30;
/** The maximum total length of the descriptions in a list, in characters. */
const maxListLength = 30_000;

/**
 * Shortens a description to one line, for a list of `count`. Real descriptions can run over pages and are sent with every
 * request, so longer lists get shorter descriptions.
 */
export function shortDescription(text: string, count: number): string {
  const share = Math.floor(maxListLength / Math.max(1, count));
  const most = Math.min(maxDescriptionLength, Math.max(minDescriptionLength, share));
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** Returns the title of a task: its first line. */
export function taskTitle(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
