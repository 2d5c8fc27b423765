/** The output of a tool call that is executing. */
export interface LiveOutput {
  /** The key of the call's step. */
  step: string;
  /** The end of the output so far. */
  text: string;
  /** How many characters have arrived, with those that `text` lacks. */
  total: number;
}

/** The characters of an output that are kept for readers of a stream, who get them piece by piece. */
const keptCharacters = 32 * 1024;

/** Adds a piece to an output, of which only the end is kept. */
export function growOutput(output: LiveOutput, piece: string): void {
  output.total += piece.length;
  output.text = (output.text + piece).slice(-keptCharacters).toWellFormed();
}

/** Returns what has arrived after the first `seen` characters, with a note in place of what is no longer kept. */
export function outputSince({ text, total }: LiveOutput, seen: number): string {
  const missing = total - text.length - seen;
  return missing > 0 ? `\n[${missing} characters left out]\n${text}` : text.slice(seen - total);
}
