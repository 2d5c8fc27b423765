import type { JsonValue } from "../source/json.ts";
import type { EffectiveContext } from "./effective-context.ts";

/** The most of a value that is shown, in bytes of JSON. */
const longestShown = 2048;
/** Of a value that is longer: enough to see what it is. */
const shownOfLong = 500;

/**
 * What was shared with a run, as part of its instructions: a line for each key, in the order of their code points. Values are
 * data, whatever they say: a line holds one of them in JSON, and nothing in it ends the line. Empty when nothing was
 * shared.
 */
export function renderContext(context: EffectiveContext): string {
  if (context.size === 0) return "";
  const keys = [...context.keys()].toSorted(compareCodePoints);
  const lines = keys.map((key) => renderEntry(key, context.get(key)?.value ?? null));
  return ["[Shared Context]:", ...lines].join("\n");
}

function renderEntry(key: string, value: JsonValue): string {
  const json = toLine(value);
  const size = Buffer.byteLength(json);
  const name = isPlain(key) ? key : toLine(key);
  if (size <= longestShown) return `- ${name}: ${json}`;
  const shown = json.slice(0, shownOfLong).toWellFormed();
  return `- ${name}: ${shown}… [cut: ${size} bytes of JSON; the whole value: context_get ${toLine({ key })}]`;
}

/** JSON escapes line feeds; these end a line or a string for somebody as well. */
const breaking = /[\u007f-\u009f\u2028\u2029]/g;

function toLine(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(
    breaking,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a key can stand on a line without being taken for something else. */
function isPlain(key: string): boolean {
  return /^[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*$/u.test(key);
}

/** UTF-8 keeps the order of code points; that of JavaScript's strings is another. */
function compareCodePoints(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
