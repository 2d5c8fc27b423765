/** Graphemes that take two columns of a terminal: East Asian wide characters and emoji. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const plain = /^[ -~]*$/;
/** Created on first use, because loading its data takes longer than most commands run. */
let segmenter: Intl.Segmenter | undefined;

/** Returns the width in columns of a line without control sequences. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return graphemes(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);
}

/** Cuts a line to at most `columns` columns; `…` marks the cut. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns <= 0) return "";
  return `${plain.test(text) ? text.slice(0, columns - 1) : fit(graphemes(text), columns - 1)}…`;
}

/** Pads a line with spaces to `columns` columns. */
export function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** Divides a line into one or more pieces of at most `columns` columns. */
export function wrapText(text: string, columns: number): string[] {
  const width = Math.max(2, columns);
  const pieces: string[] = [];
  let piece = "";
  let taken = 0;
  for (const grapheme of graphemes(text)) {
    const size = graphemeWidth(grapheme);
    if (taken + size > width) {
      pieces.push(piece);
      piece = "";
      taken = 0;
    }
    piece += grapheme;
    taken += size;
  }
  return [...pieces, piece];
}

/** Wraps text at words; splits a word that is longer than a line. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/(?<=\s)/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth((last + word).trimEnd()) <= columns)
      lines[lines.length - 1] = last + word;
    else lines.push(...wrapText(word, columns));
  }
  return lines.length === 0 ? [""] : lines;
}

function fit(parts: readonly string[], columns: number): string {
  let fitting = "";
  let left = columns;
  for (const grapheme of parts) {
    left -= graphemeWidth(grapheme);
    if (left < 0) break;
    fitting += grapheme;
  }
  return fitting;
}

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  return wide.test(grapheme) ? 2 : 1;
}
