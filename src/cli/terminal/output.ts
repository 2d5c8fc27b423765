// The terminal: output, colours, and questions to the user.

/** Writes a line on stdout. */
export function writeLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a line on stderr. */
export function writeError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Writes one JSON value on stdout. */
export function writeJson(value: unknown): void {
  writeLine(toSafeJson(value, 2));
}

/** Writes one JSON value as one line on stdout. */
export function writeJsonLine(value: unknown): void {
  writeLine(toSafeJson(value));
}

/** Returns the columns of a terminal; `Infinity` for other streams. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? stream.columns : Infinity;
}

/** Escapes control and invisible characters that JSON allows: terminals would act on them. */
function toSafeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, index) => {
        const unit = character.charCodeAt(index).toString(16);
        return `\\u${unit.padStart(4, "0")}`;
      }).join(""),
  );
}
