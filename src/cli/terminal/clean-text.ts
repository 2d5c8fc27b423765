import { stripVTControlCharacters } from "node:util";

/** Control characters, invisible characters, and characters that change the look of others. Emoji need the joiner U+200D. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const kept = new Set(["\n", "\t", "\u200d"]);

/** Removes characters that could control a terminal or deceive its user from untrusted text of several lines. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(hidden, (character) =>
    kept.has(character) ? character : "",
  );
}

/** Cleans text and joins it into one line, with one space for each run of white space. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/gu, " ").trim();
}

/** Returns the first line that is not blank, cleaned. */
export function firstLine(text: string): string {
  return cleanLine(text.split("\n").find((line) => line.trim() !== "") ?? "");
}

/**
 * Writes the characters that {@link cleanText} would remove as escapes, such as `\x1b` or `\u{202e}`. Line breaks stay.
 */
export function revealText(text: string): string {
  return text.replaceAll(hidden, (character) => {
    if (character === "\n") return character;
    const code = character.codePointAt(0) ?? 0;
    if (character === "\t") return String.raw`\t`;
    if (character === "\r") return String.raw`\r`;
    const hex = code.toString(16);
    return code <= 0xff ? String.raw`\x${hex.padStart(2, "0")}` : String.raw`\u{${hex}}`;
  });
}
