import { CadreError } from "../../errors.ts";
import { nearestLines } from "./nearest-lines.ts";

/** A literal replacement in a text. */
export interface TextChange {
  old: string;
  new: string;
  all: boolean;
}

const contextLines = 3;
const shownChanges = 3;
const snippetLineCharacters = 300;

/**
 * Returns `content` with the literal replacement made. Bytes outside the replacement keep their encoding; line endings of the new
 * text follow the file.
 *
 * @throws CadreError `tool-failed` when the old text is absent or, without `all`, not unique.
 */
export function replaceText(
  content: Buffer,
  change: TextChange,
  name: string,
): { content: Buffer; count: number; snippet: string } {
  // One character per byte: positions are exact, and invalid UTF-8 survives.
  const text = content.toString("latin1");
  const { old, fresh } = fitLineEnds(text, toBytes(change.old), toBytes(change.new));
  const places = findAll(text, old);
  if (places.length === 0) throw absent(content, change.old, name);
  if (places.length > 1 && !change.all) throw ambiguous(text, places, name);
  const edited = text.split(old).join(fresh);
  return {
    content: Buffer.from(edited, "latin1"),
    count: places.length,
    snippet: describeChanges(text, places, { old, fresh }),
  };
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function fitLineEnds(text: string, old: string, fresh: string): { old: string; fresh: string } {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  if (windows === 0) return { old, fresh };
  const convert = (part: string): string => part.replaceAll(/\r?\n/g, "\r\n");
  const isMostlyWindows = windows * 2 >= all;
  if (text.includes(old) && old.includes("\n"))
    return { old, fresh: old.includes("\r\n") ? convert(fresh) : fresh };
  if (text.includes(old)) return { old, fresh: isMostlyWindows ? convert(fresh) : fresh };
  return { old: convert(old), fresh: convert(fresh) };
}

function findAll(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    places.push(at);
  return places;
}

function lineNumbers(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (
      let end = text.indexOf("\n", from);
      end !== -1 && end < place;
      end = text.indexOf("\n", from)
    ) {
      line += 1;
      from = end + 1;
    }
    return line;
  });
}

function absent(content: Buffer, old: string, name: string): CadreError {
  const near = nearestLines(content.toString("utf8"), old);
  const numbered = /^\s*\d+\t/.test(old) ? " Leave out the line numbers that Read shows." : "";
  const hint = near.length > 0 ? `\nThe nearest lines are:\n${near.join("\n")}` : "";
  return new CadreError(
    "tool-failed",
    `old_string is not in ${name}: it must match the file exactly.${numbered}${hint}`,
  );
}

function ambiguous(text: string, places: readonly number[], name: string): CadreError {
  const numbers = lineNumbers(text, places.slice(0, 20));
  const more = places.length > numbers.length ? " …" : "";
  return new CadreError(
    "tool-failed",
    `old_string occurs ${places.length} times in ${name}, in lines ${numbers.join(", ")}${more}. ` +
      "Add lines around it to make it unique, or set replace_all.",
  );
}

function describeChanges(
  text: string,
  places: readonly number[],
  change: { old: string; fresh: string },
): string {
  const shown = places.slice(0, shownChanges);
  const numbers = lineNumbers(text, shown);
  const hunks = shown.map((place, index) =>
    describeChange(text, { place, line: numbers[index] ?? 1 }, change),
  );
  const more = places.length - shown.length;
  return [...hunks, ...(more > 0 ? [`[and ${more} more]`] : [])].join("\n");
}

function describeChange(
  text: string,
  at: { place: number; line: number },
  change: { old: string; fresh: string },
): string {
  const end = at.place + change.old.length;
  const lineStart = text.lastIndexOf("\n", at.place - 1) + 1;
  const lineEnd = text.indexOf(
    "\n",
    Math.max(end - (change.old.endsWith("\n") ? 1 : 0), lineStart),
  );
  const stop = Math.max(lineEnd === -1 ? text.length : lineEnd, end);
  const head = text.slice(at.place === 0 ? 0 : lineStart, at.place);
  const tail = text.slice(end, stop);
  const before = splitLines(text.slice(0, lineStart).slice(-4000)).slice(-contextLines);
  const after = splitLines(
    text
      .slice(stop)
      .replace(/^\r?\n/, "")
      .slice(0, 4000),
  ).slice(0, contextLines);
  return [
    `@@ line ${at.line} @@`,
    ...mark(" ", before),
    ...mark("-", splitLines(head + change.old + tail)),
    ...mark("+", splitLines(head + change.fresh + tail)),
    ...mark(" ", after),
  ].join("\n");
}

function splitLines(text: string): string[] {
  if (text === "") return [];
  return Buffer.from(text, "latin1")
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
}

function mark(sign: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, 20).map((line) => `${sign}${line.slice(0, snippetLineCharacters)}`);
  return lines.length > 20 ? [...shown, `${sign}… (${lines.length - 20} more lines)`] : shown;
}
