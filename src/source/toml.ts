import { parse, TomlDate, TomlError } from "smol-toml";
import type { Diagnostic } from "./diagnostic.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { createPlaceFinder, type Place, type PlaceFinder } from "./place.ts";
import { findTomlPlaces } from "./toml-place.ts";

/** The longest text that is read, in characters. */
const maxCharacters = 256 * 1024;
/** The deepest nesting of inline tables and arrays. */
const maxDepth = 64;

/** What a TOML text says. */
export interface TomlReading {
  /** `undefined` when the text is not valid. */
  value: JsonObject | undefined;
  /** The place of a key, or of a list's item. */
  placeOf: PlaceFinder;
  /** Errors only. */
  diagnostics: Diagnostic[];
}

/**
 * Reads TOML that somebody wrote, into plain JSON; dates become text, as do the numbers JSON has no way to say. A key
 * such as `__proto__` is a key like any other. `firstLine` is the line of the file that `text` begins on.
 */
export function readToml(text: string, path: string, firstLine = 1): TomlReading {
  const start: Place = { line: firstLine, column: 1 };
  const nowhere = createPlaceFinder(new Map(), start);
  if (text.length > maxCharacters) {
    const message = `Expected at most ${maxCharacters} characters of TOML, got ${text.length}.`;
    const finding = invalidToml(path, start, message);
    return { value: undefined, placeOf: nowhere, diagnostics: [finding] };
  }
  try {
    const value = toJson(parse(text, { maxDepth, integersAsBigInt: "asNeeded" })) as JsonObject;
    const placeOf = createPlaceFinder(findTomlPlaces(text, firstLine), start);
    return { value, placeOf, diagnostics: [] };
  } catch (error) {
    const { place, message } = explain(error, firstLine);
    const diagnostics = [invalidToml(path, place, message)];
    return { value: undefined, placeOf: nowhere, diagnostics };
  }
}

function toJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof TomlDate) return value.toISOString();
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}

function explain(error: unknown, firstLine: number): { place: Place; message: string } {
  if (!(error instanceof TomlError)) throw error;
  // The library's message goes on with a picture of the place, which a diagnostic has already.
  const [first = ""] = error.message.split("\n");
  const reason = first.replace(/^Invalid TOML document: |[.]+$/g, "");
  const place = { line: error.line + firstLine - 1, column: error.column };
  return { place, message: `Not valid TOML: ${reason}.` };
}

function invalidToml(path: string, place: Place, message: string): Diagnostic {
  return { path, ...place, severity: "error", code: "toml-invalid", message, fix: null };
}
