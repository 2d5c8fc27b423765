import { stripVTControlCharacters } from "node:util";

/** Text of a server without escape sequences and characters that are not seen; line breaks and tabs stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu,
    (character) => ("\n\t\u200d".includes(character) ? character : ""),
  );
}

/** The same in one line of at most `limit` characters. */
export function plainLine(text: string, limit: number): string {
  // Cut before the work: a server may send megabytes.
  const line = plainText(text.slice(0, limit * 10))
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
