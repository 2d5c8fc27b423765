import { stripVTControlCharacters } from "node:util";

/** Removes escape sequences and invisible characters from a server's text; keeps line breaks and tabs. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu,
    (character) => ("\n\t\u200d".includes(character) ? character : ""),
  );
}

/** Converts a server's text to one plain line of at most `limit` characters. */
export function plainLine(text: string, limit: number): string {
  // Cut first, because a server may send megabytes.
  const line = plainText(text.slice(0, limit * 10))
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
