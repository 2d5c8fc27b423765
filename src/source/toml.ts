import { parse, TomlDate, TomlError } from "smol-toml";
import type { Diagnostic } from "./diagnostic.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { createPositionFinder, type Position, type PositionFinder } from "./position.ts";
import { findTomlPositions } from "./toml-position.ts";
import { onFirstUse } from "../on-first-use.ts";

/** The maximum length of a text, in characters. */
const maxCharacters = 256 * 1024;
/** The maximum nesting of tables and lists. */
const maxDepth = 64;

/** The result of reading TOML. */
export interface TomlReading {
  /** The value; `undefined` when the text is invalid. */
  value: JsonObject | undefined;
  /** Returns the position of a key or list item. */
  positionOf: PositionFinder;
  /** The errors. */
  diagnostics: Diagnostic[];
}

/**
 * Reads untrusted TOML into plain JSON. Dates, and numbers that JSON cannot represent, become text. A key such as
 * `__proto__` is an ordinary key. `firstLine` is the line of the file on which `text` begins.
 */
export function readToml(text: string, path: string, firstLine = 1): TomlReading {
  const start: Position = { line: firstLine, column: 1 };
  const refuse = (position: Position, message: string): TomlReading => ({
    value: undefined,
    positionOf: createPositionFinder(new Map(), start),
    diagnostics: [
      { path, ...position, severity: "error", code: "toml-invalid", message, fix: null },
    ],
  });
  if (text.length > maxCharacters)
    return refuse(
      start,
      `Expected at most ${maxCharacters} characters of TOML, got ${text.length}.`,
    );
  try {
    const parsed = parse(text, { maxDepth, integersAsBigInt: "asNeeded" });
    // The library limits brackets and braces, but not dotted keys.
    if (isDeeperThan(maxDepth, parsed))
      return refuse(
        start,
        `Expected at most ${maxDepth} tables and lists inside each other, got more.`,
      );
    const value = toJson(parsed) as JsonObject;
    // Most readers ask for no position, and another library finds them.
    const finder = onFirstUse(() =>
      createPositionFinder(findTomlPositions(text, firstLine), start),
    );
    return { value, positionOf: (...keys) => finder()(...keys), diagnostics: [] };
  } catch (error) {
    const { position, message } = explain(error, firstLine);
    return refuse(position, message);
  }
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth < 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

function toJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof TomlDate) return value.toISOString();
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}

function explain(error: unknown, firstLine: number): { position: Position; message: string } {
  if (!(error instanceof TomlError)) throw error;
  // The library's message ends with an excerpt that repeats the position of the diagnostic.
  const [first = ""] = error.message.split("\n");
  const reason = first.replace(/^Invalid TOML document: |[.]+$/g, "");
  const position = { line: error.line + firstLine - 1, column: error.column };
  return { position, message: `Not valid TOML: ${reason}.` };
}
