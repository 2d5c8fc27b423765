import type { Severity } from "../source/diagnostic.ts";
import { isRecord, type JsonObject, type JsonValue } from "../source/json.ts";
import { nearest } from "../source/nearest.ts";
import type { Field, Fields } from "./fields.ts";
import { splitCommas } from "./split-list.ts";

/** The bounds of a number, both included. */
export interface NumberRange {
  min: number;
  max: number;
  /** Default `false`. */
  isWhole?: boolean;
}

/** The text of a field, trimmed; absent when it is not written or not text (an error). */
export function readText(fields: Fields, name: string): string | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  const { value } = field;
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return wrongType(fields, field, "text");
}

/** A number of a field; text that is a number counts (`timeout: "300"`). */
export function readNumber(fields: Fields, name: string, range: NumberRange): number | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  const { value } = field;
  const { min, max, isWhole = false } = range;
  const isNumeric = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim());
  const number = isNumeric ? Number(value) : value;
  const what = isWhole ? "a whole number" : "a number";
  const limits = Number.isFinite(max) ? `from ${min} to ${max}` : `of at least ${min}`;
  const expected = `${what} ${limits}`;
  if (typeof number !== "number" || number < min || number > max) {
    return wrongType(fields, field, expected);
  }
  return isWhole && !Number.isInteger(number) ? wrongType(fields, field, expected) : number;
}

/** A yes or no of a field. */
export function readFlag(fields: Fields, name: string): boolean | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  if (field.value === "true" || field.value === true) return true;
  if (field.value === "false" || field.value === false) return false;
  return wrongType(fields, field, "`true` or `false`");
}

/** Texts of a field: a list, or one text with commas (outside parentheses). `[]` stays an empty list. */
export function readList(fields: Fields, name: string): string[] | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  const { value } = field;
  if (typeof value === "string") return splitCommas(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!isList) return wrongType(fields, field, "a list of names, or one text with commas");
  return value.flatMap((item) => splitCommas(item));
}

/** One of several words. `severity` says how bad another word is. */
export function readChoice<Choice extends string>(
  fields: Fields,
  name: string,
  choices: Readonly<Record<string, Choice>>,
  severity: Severity = "error",
): Choice | undefined {
  const text = readText(fields, name);
  if (text === undefined) return undefined;
  if (Object.hasOwn(choices, text)) return choices[text];
  const key = fields.written.get(name)?.key ?? name;
  const words = Object.keys(choices);
  const message = `Expected \`${key}\` to be one of ${words.join(", ")}; got \`${shorten(text)}\`.`;
  const meant = nearest(text, words);
  const fix =
    meant === null ? `Write one of them, or remove \`${key}\`.` : `Write \`${key}: ${meant}\``;
  fields.report([key], { severity, code: "wrong-value", message, fix });
  return undefined;
}

/** An object of a field. */
export function readObject(fields: Fields, name: string): JsonObject | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  return isRecord(field.value) ? field.value : wrongType(fields, field, "a map of keys and values");
}

/** Text from a file, cut for a message. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

/** A key without a value is the same as no key, and says so. */
function isEmpty(fields: Fields, { key, value }: Field): boolean {
  if (value !== null && value !== "") return false;
  const message = `\`${key}\` has no value and was read as if it were not there.`;
  const fix = "Remove the key, or give it a value.";
  fields.report([key], { severity: "warning", code: "empty-field", message, fix });
  return true;
}

function wrongType(fields: Fields, { key, value }: Field, expected: string): undefined {
  const message = `Expected \`${key}\` to be ${expected}; got ${describeValue(value)}.`;
  const fix = `Write ${expected} behind \`${key}\`, or remove the key.`;
  fields.report([key], { severity: "error", code: "wrong-type", message, fix });
}

/** What a value is, for a message. */
export function describeValue(value: JsonValue): string {
  if (Array.isArray(value)) return describeList(value);
  if (isRecord(value)) return "a map";
  return `\`${shorten(String(value))}\``;
}

function describeList(value: readonly JsonValue[]): string {
  const odd = value.findIndex((item) => typeof item !== "string");
  if (odd === -1) return `a list of ${value.length}`;
  const kind = isRecord(value[odd])
    ? "a map"
    : Array.isArray(value[odd])
      ? "a list"
      : shorten(String(value[odd]));
  return `a list of ${value.length}, of which number ${odd + 1} is ${kind}`;
}
