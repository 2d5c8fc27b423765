/** Parses an option that may be given several times. */
export function collectValues(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
