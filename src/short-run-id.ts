/** Returns the part of an id after the dash, which users see and type. */
export function shortRunId(id: string): string {
  return id.slice(id.indexOf("-") + 1);
}
