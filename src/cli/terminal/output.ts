// The terminal: output, colours, and questions to the user.

import { wrapLine, wrapProse } from "./wrap-prose.ts";

/** Writes a line on stdout. */
export function writeLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a text on stdout; on a terminal, its prose is wrapped between words. */
export function writeProse(text: string): void {
  writeLine(wrapProse(text.split("\n"), columnsOf(process.stdout)).join("\n"));
}

/** Writes a message on stdout; on a terminal, its lines are wrapped between words. */
export function writeMessage(text: string): void {
  writeLine(wrapMessage(text, process.stdout));
}

/** Writes a message on stderr; on a terminal, its lines are wrapped between words. */
export function writeError(text: string): void {
  process.stderr.write(`${wrapMessage(text, process.stderr)}\n`);
}

/** Wraps the lines of a message for `stream`, if that is a terminal. */
export function wrapMessage(text: string, stream: NodeJS.WriteStream): string {
  const columns = columnsOf(stream);
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, columns))
    .join("\n");
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
