// Times in readable form.

/** How long ago a time was: `now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function formatAgo(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / (24 * 60))} d ago`;
}

/** A date and time of day in the browser's language. */
export function formatMoment(time: number): string {
  return new Date(time).toLocaleString();
}
