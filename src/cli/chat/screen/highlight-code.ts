import { type ShjToken, tokenizeWith } from "@speed-highlight/core/tokenize";
import { cacheRecent } from "../../../lru-pool.ts";
import type { Paint, Style } from "../../terminal/paint.ts";
import { findLanguage, languages } from "./languages.ts";

/** Returns the styled lines of a code block. `language` is the name that the block gives. */
export type HighlightCode = (code: string, language?: string) => string[];

/**
 * The maximum number of characters that are highlighted at once. The time grows with the square of the length: at most 20 ms for this
 * many. Longer code is divided at line ends.
 */
const partCharacters = 2000;
/** The number of cached parts: each piece of an arriving text draws the whole text again. */
const maxParts = 200;

const styles: Readonly<Partial<Record<ShjToken, Style>>> = {
  kwd: "magenta",
  oper: "dim",
  str: "green",
  esc: "yellow",
  num: "yellow",
  bool: "yellow",
  cmnt: "dim",
  func: "blue",
  class: "cyan",
  type: "cyan",
  section: "bold",
  insert: "green",
  deleted: "red",
};

/** Creates the highlighter of code blocks; code in an unknown language has one colour. */
export function createHighlightCode(paint: Paint): HighlightCode {
  const readPart = cacheRecent(maxParts, (key) => {
    const [language = "", ...code] = key.split("\n");
    return highlightPart(code.join("\n"), language, paint);
  });
  return (code, written) => {
    const language = findLanguage(written);
    const lines = code.split("\n");
    if (language === undefined) return lines.map((line) => paint("cyan", line));
    return toParts(lines).flatMap((part) => readPart(`${language}\n${part}`));
  };
}

/** Joins lines into parts from the beginning, so that only the last part changes while a text arrives. */
function toParts(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let size = Infinity;
  for (const line of lines) {
    size += line.length + 1;
    if (size > partCharacters) {
      parts.push(line);
      size = line.length + 1;
    } else {
      parts.push(`${parts.pop()}\n${line}`);
    }
  }
  return parts;
}

function highlightPart(code: string, language: string, paint: Paint): string[] {
  if (code.length > partCharacters) return [code];
  const lines: string[] = [];
  let line = "";
  tokenizeWith(
    code,
    language,
    (text, token) => {
      const style = token === undefined ? undefined : styles[token];
      const [first = "", ...rest] = text
        .split("\n")
        .map((piece) => (style === undefined ? piece : paint(style, piece)));
      line += first;
      for (const next of rest) {
        lines.push(line);
        line = next;
      }
    },
    { languages },
  );
  return [...lines, line];
}
