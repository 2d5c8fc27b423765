import type { JsonObject, JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import type { KeyPath } from "../source/place.ts";
import { describeValue, type Finding, type Report } from "./report.ts";
import { isTemplate } from "./scan-template.ts";

/** A map in a recipe while it is read. */
export interface Section {
  data: JsonObject;
  /** Where it is in the file. */
  keys: KeyPath;
  report: Report;
  /** See `YamlReading.writtenOf`. goose takes a number as the text it is written as: a default of `1.10` is no `1.1`. */
  writtenOf: (...keys: KeyPath) => string | undefined;
}

/** The bounds of a number, both included. */
export interface NumberRange {
  min: number;
  max?: number;
  isWhole?: boolean;
}

/** Reports a finding about a key of the section, or about the section itself. */
export function reportIn({ keys, report }: Section, key: string | null, finding: Finding): void {
  report(key === null ? keys : [...keys, key], finding);
}

/** Text; numbers and `true` are taken as they are written. */
export function readText(section: Section, key: string): string | undefined {
  const value = readPlain(section, key);
  return value === undefined || typeof value === "string" ? value : refuse(section, key, "text");
}

/** Any value, with numbers and `true` as they are written. */
export function readPlain(section: Section, key: string): JsonValue | undefined {
  const value = valueOf(section, key);
  return value === undefined ? undefined : toWritten(value, section, key);
}

function toWritten(value: JsonValue, { keys, writtenOf }: Section, ...below: KeyPath): JsonValue {
  if (typeof value !== "number" && typeof value !== "boolean") return value;
  return writtenOf(...keys, ...below) ?? String(value);
}

/** Text that has to be there; without it, an error, and an empty text. */
export function readRequiredText(section: Section, key: string, example: string): string {
  const text = readText(section, key);
  if (text !== undefined && text.trim() !== "") return text;
  if (text !== undefined || valueOf(section, key) === undefined) {
    reportIn(section, text === undefined ? null : key, {
      severity: "error",
      code: "field-missing",
      message: `Expected \`${key}\`, got nothing.`,
      fix: `Write \`${key}: ${example}\``,
    });
  }
  return "";
}

/** A number; text that is one counts. A template is looked at again when it is filled. */
export function readNumber(section: Section, key: string, range: NumberRange): number | undefined {
  const value = valueOf(section, key);
  if (value === undefined || isUnfilled(value)) return undefined;
  const isNumeric = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim());
  const number = isNumeric ? Number(value) : value;
  const { min, max = Number.POSITIVE_INFINITY, isWhole = false } = range;
  const isGood =
    typeof number === "number" &&
    number >= min &&
    number <= max &&
    (!isWhole || Number.isInteger(number));
  if (isGood) return number;
  const what = isWhole ? "a whole number" : "a number";
  return refuse(
    section,
    key,
    `${what} ${max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`}`,
  );
}

/** `true` or `false`. */
export function readFlag(section: Section, key: string): boolean | undefined {
  const value = valueOf(section, key);
  if (value === undefined || isUnfilled(value)) return undefined;
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  return refuse(section, key, "`true` or `false`");
}

/** A list of texts. */
export function readTexts(section: Section, key: string): string[] | undefined {
  const value = valueOf(section, key);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return refuse(section, key, "a list of texts");
  return value.flatMap((item, index) => {
    const text = toWritten(item, section, key, index);
    if (typeof text === "string") return [text];
    const message = `Expected text, got ${describeValue(item)}.`;
    const finding = {
      severity: "error",
      code: "wrong-type",
      message,
      fix: quoteFix(item),
    } as const;
    section.report([...section.keys, key, index], finding);
    return [];
  });
}

/** A map with texts as its values, such as environment variables. */
export function readTextMap(section: Section, key: string): Record<string, string> | undefined {
  const inner = readSection(section, key);
  if (inner === undefined) return undefined;
  return Object.fromEntries(
    Object.keys(inner.data).map((name) => [name, readText(inner, name) ?? ""]),
  );
}

/** A map. */
export function readSection(section: Section, key: string): Section | undefined {
  const value = valueOf(section, key);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return refuse(section, key, "a map of keys and values");
  return { ...section, data: value, keys: [...section.keys, key] };
}

/** A list of maps; an item that is none goes to `readOther`, which may know what was meant. */
export function readSections(
  section: Section,
  key: string,
  readOther?: (item: JsonValue, keys: KeyPath) => JsonObject | undefined,
): Section[] | undefined {
  const value = valueOf(section, key);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return refuse(section, key, "a list");
  return value.flatMap((item, index) => {
    const keys = [...section.keys, key, index];
    const data = isRecord(item) ? item : readOther?.(item, keys);
    if (data !== undefined) return [{ ...section, data, keys }];
    const message = `Expected a map of keys and values, got ${describeValue(item)}.`;
    section.report(keys, { severity: "error", code: "wrong-type", message, fix: null });
    return [];
  });
}

/** Warns of every key that is none of `known`. */
export function reportUnknownKeys(section: Section, known: readonly string[]): void {
  for (const key of Object.keys(section.data).filter((one) => !known.includes(one))) {
    const message = `\`${key}\` is not a field here; it has no effect.${didYouMean(key, known)}`;
    reportIn(section, key, { severity: "warning", code: "unknown-key", message, fix: null });
  }
}

function valueOf({ data }: Section, key: string): JsonValue | undefined {
  return Object.hasOwn(data, key) ? (data[key] ?? undefined) : undefined;
}

function isUnfilled(value: JsonValue): boolean {
  return typeof value === "string" && isTemplate(value);
}

function refuse(section: Section, key: string, expected: string): undefined {
  const message = `Expected \`${key}\` to be ${expected}; got ${describeValue(section.data[key])}.`;
  reportIn(section, key, { severity: "error", code: "wrong-type", message, fix: null });
  return undefined;
}

/** `- message: text` was most likely meant as one text. */
function quoteFix(item: JsonValue | undefined): string | null {
  if (!isRecord(item)) return null;
  const [[key, value] = []] = Object.entries(item);
  return typeof value === "string" ? `Write \`- ${JSON.stringify(`${key}: ${value}`)}\`` : null;
}
