/** The output of a tool call that is executing. */
export interface LiveOutput {
  /** The key of the call's step. */
  step: string;
  /** The last part of the output so far. */
  text: string;
  /** The number of characters that have arrived, including those that `text` lacks. */
  total: number;
}

/** The characters of an output that are kept for stream readers, who receive the output in pieces. */
const keptCharacters = 32 * 1024;

/** Adds a piece to an output and keeps only its last part. */
export function growOutput(output: LiveOutput, piece: string): void {
  output.total += piece.length;
  output.text = (output.text + piece).slice(-keptCharacters).toWellFormed();
}

/** Returns the output after the first `seen` characters. A note replaces characters that are no longer kept. */
export function outputSince({ text, total }: LiveOutput, seen: number): string {
  const missing = total - text.length - seen;
  return missing > 0 ? `\n[${missing} characters left out]\n${text}` : text.slice(seen - total);
}
