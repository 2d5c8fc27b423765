import type { JsonValue } from "../../source/json.ts";
import type { EffectiveContext } from "./effective-context.ts";

/** The maximum size of a value that is shown whole, in bytes of JSON. */
const maxShownBytes = 2048;
/** The number of characters shown of a longer value. */
const shownOfLong = 500;

/**
 * Renders shared context as part of the instructions: a line per key, in the order of their code points. Values are data: each is
 * JSON on a single line and cannot end it. Returns an empty text when nothing was shared.
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
  if (size <= maxShownBytes) return `- ${name}: ${json}`;
  const shown = json.slice(0, shownOfLong).toWellFormed();
  return `- ${name}: ${shown}… [cut: ${size} bytes of JSON; the whole value: context_get ${toLine({ key })}]`;
}

/** Characters other than the line feed that some readers treat as the end of a line. */
const breaking = /[\u007f-\u009f\u2028\u2029]/g;

function toLine(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(
    breaking,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Reports whether a key can stand on a line unquoted. */
function isPlain(key: string): boolean {
  return /^[\p{L}\p{N}_$][\p{L}\p{N}_$./-]*$/u.test(key);
}

/** Compares by code points, as UTF-8 does and JavaScript's strings do not. */
function compareCodePoints(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
