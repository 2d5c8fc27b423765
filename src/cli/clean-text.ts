import { stripVTControlCharacters } from "node:util";

/** Controls, and characters that change how others look or are not seen at all; emoji need the joiner U+200D. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const kept = new Set(["\n", "\t", "\u200d"]);

/** Text of several lines from an untrusted source, without what could steer or deceive a terminal. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(hidden, (character) =>
    kept.has(character) ? character : "",
  );
}

/** The same in one line: every run of white space is one blank. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/gu, " ").trim();
}

/** The first line with something in it. */
export function firstLine(text: string): string {
  return cleanLine(text.split("\n").find((line) => line.trim() !== "") ?? "");
}

/**
 * Text in which nothing is hidden: what {@link cleanText} would take out is written as an escape, such as `\x1b` or
 * `\u{202e}`. Line breaks stay.
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
