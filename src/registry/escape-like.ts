/** Escapes the wildcards of LIKE with a backslash. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}
