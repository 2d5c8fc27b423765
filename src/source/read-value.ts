import { isRecord, type JsonValue } from "./json.ts";

/** The range of a number, both ends included. */
export interface NumberRange {
  min: number;
  /** Absent: no upper bound. */
  max?: number;
  /** Default `false`. */
  isWhole?: boolean;
}

/** Reads a value of a file as a number, also from text (`timeout: "300"`); `undefined` for any other value or a number out of range. */
export function toNumber(
  value: JsonValue | undefined,
  { min, max = Infinity, isWhole = false }: NumberRange,
): number | undefined {
  const isNumeric = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim());
  const number = isNumeric ? Number(value) : value;
  const isRight = typeof number === "number" && number >= min && number <= max;
  return isRight && (!isWhole || Number.isInteger(number)) ? number : undefined;
}

/** Describes a range for a message: `a whole number from 1 to 10`. */
export function describeRange({ min, max = Infinity, isWhole = false }: NumberRange): string {
  const what = isWhole ? "a whole number" : "a number";
  return `${what} ${Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`}`;
}

/** Reads a value of a file as a boolean, also from text; `undefined` for any other value. */
export function toFlag(value: JsonValue | undefined): boolean | undefined {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : undefined;
}

/** Returns a file's text on one line, shortened to 60 characters for a message. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

/** Describes a value of a file for a message, shortened. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return describeList(value);
  return isRecord(value) ? "a map" : `\`${shorten(String(value))}\``;
}

function describeList(value: readonly JsonValue[]): string {
  const odd = value.findIndex((item) => typeof item !== "string");
  if (odd === -1) return `a list of ${value.length}`;
  const item = value[odd];
  const isNested = typeof item === "object" && item !== null;
  const kind = !isNested ? shorten(String(item)) : Array.isArray(item) ? "a list" : "a map";
  return `a list of ${value.length}, of which number ${odd + 1} is ${kind}`;
}
