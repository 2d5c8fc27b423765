import type { Severity } from "../../source/diagnostic.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { nearest } from "../../source/nearest.ts";
import {
  describeRange,
  describeValue,
  type NumberRange,
  shorten,
  toFlag,
  toNumber,
} from "../../source/read-value.ts";
import type { Field, Fields } from "./fields.ts";
import { splitCommas } from "./split-list.ts";

/** Returns a field as trimmed text; `undefined` if it is missing or not text, which is an error. */
export function readText(fields: Fields, name: string): string | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  const { value } = field;
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return wrongType(fields, field, "text");
}

/** Returns a field as a number, also from text (`timeout: "300"`). */
export function readNumber(fields: Fields, name: string, range: NumberRange): number | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  return toNumber(field.value, range) ?? wrongType(fields, field, describeRange(range));
}

/** Returns a field as a boolean, also from text. */
export function readFlag(fields: Fields, name: string): boolean | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  return toFlag(field.value) ?? wrongType(fields, field, "`true` or `false`");
}

/** Returns a field as a list of texts: a list, or one text with commas outside of parentheses. `[]` stays an empty list. */
export function readList(fields: Fields, name: string): string[] | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  const { value } = field;
  if (typeof value === "string") return splitCommas(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!isList) return wrongType(fields, field, "a list of names, or one text with commas");
  return value.flatMap((item) => splitCommas(item));
}

/** Returns a field with one of several values. Any other value is a finding of the given `severity`. */
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

/** Returns a field as an object. */
export function readObject(fields: Fields, name: string): JsonObject | undefined {
  const field = fields.written.get(name);
  if (field === undefined || isEmpty(fields, field)) return undefined;
  return isRecord(field.value) ? field.value : wrongType(fields, field, "a map of keys and values");
}

/** Reports whether a field has no value, with a warning. It counts as missing. */
function isEmpty(fields: Fields, { key, value }: Field): boolean {
  if (value !== null && value !== "") return false;
  const message = `\`${key}\` has no value and is ignored.`;
  const fix = "Remove the key, or give it a value.";
  fields.report([key], { severity: "warning", code: "empty-field", message, fix });
  return true;
}

function wrongType(fields: Fields, { key, value }: Field, expected: string): undefined {
  const message = `Expected \`${key}\` to be ${expected}; got ${describeValue(value)}.`;
  const fix = `Write ${expected} after \`${key}\`, or remove the key.`;
  fields.report([key], { severity: "error", code: "wrong-type", message, fix });
}
