/** Times in readable form. */

/** Formats how long ago a time was: `now`, `5 min ago`, `3 h ago`, `2 d ago`; or how far away it is: `in 5 min`. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor(Math.abs(now - time) / 60_000);
  if (minutes < 1) return "now";
  const span =
    minutes < 60
      ? `${minutes} min`
      : minutes < 48 * 60
        ? `${Math.floor(minutes / 60)} h`
        : `${Math.floor(minutes / (24 * 60))} d`;
  return time > now ? `in ${span}` : `${span} ago`;
}

/** Formats a date and time of day in the browser's language. */
export function formatMoment(time: number): string {
  return new Date(time).toLocaleString();
}

/** Formats a time of day to the second in the browser's language. */
export function formatClock(time: number): string {
  return new Date(time).toLocaleTimeString();
}

/** Returns the last part of a file's path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the first line of a text, cut to 160 characters. */
export function cutFirstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
