import type { JsonObject, JsonValue } from "../../source/json.ts";
import { isRecord } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { KeyPath } from "../../source/position.ts";
import type { Finding, Report } from "../../source/diagnostic.ts";
import {
  describeRange,
  describeValue,
  type NumberRange,
  toFlag,
  toNumber,
} from "../../source/read-value.ts";
import { isTemplate } from "../template/scan-template.ts";

/** A map of a recipe that is being read. */
export interface Section {
  data: JsonObject;
  /** Its position in the file. */
  keys: KeyPath;
  report: Report;
  /** See `YamlReading.writtenOf`. goose reads a number as written: a default of `1.10` is not `1.1`. */
  writtenOf: (...keys: KeyPath) => string | undefined;
}

/** Reports a finding about a key of the section, or about the section itself. */
export function reportIn({ keys, report }: Section, key: string | null, finding: Finding): void {
  report(key === null ? keys : [...keys, key], finding);
}

/** Reads text. Accepts numbers and booleans as written. */
export function readTextKey(section: Section, key: string): string | undefined {
  const value = readPlain(section, key);
  return value === undefined || typeof value === "string" ? value : refuse(section, key, "text");
}

/** Reads any value, with numbers and booleans as written. */
export function readPlain(section: Section, key: string): JsonValue | undefined {
  const value = valueOf(section, key);
  return value === undefined ? undefined : toWritten(value, section, key);
}

function toWritten(value: JsonValue, { keys, writtenOf }: Section, ...below: KeyPath): JsonValue {
  if (typeof value !== "number" && typeof value !== "boolean") return value;
  return writtenOf(...keys, ...below) ?? String(value);
}

/** Reads required text. Reports an error and returns an empty text when it is missing. */
export function readRequiredText(section: Section, key: string, example: string): string {
  const text = readTextKey(section, key);
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

/** Reads a number, also from text. Ignores a template until it is filled. */
export function readNumberKey(
  section: Section,
  key: string,
  range: NumberRange,
): number | undefined {
  const value = valueOf(section, key);
  if (value === undefined || isUnfilled(value)) return undefined;
  return toNumber(value, range) ?? refuse(section, key, describeRange(range));
}

/** Reads `true` or `false`. Ignores a template until it is filled. */
export function readFlagKey(section: Section, key: string): boolean | undefined {
  const value = valueOf(section, key);
  if (value === undefined || isUnfilled(value)) return undefined;
  return toFlag(value) ?? refuse(section, key, "`true` or `false`");
}

/** Reads a list of texts. */
export function readTextsKey(section: Section, key: string): string[] | undefined {
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

/** Reads a map of texts, such as environment variables. */
export function readTextMap(section: Section, key: string): Record<string, string> | undefined {
  const inner = readSection(section, key);
  if (inner === undefined) return undefined;
  return Object.fromEntries(
    Object.keys(inner.data).map((name) => [name, readTextKey(inner, name) ?? ""]),
  );
}

/** Reads a map. */
export function readSection(section: Section, key: string): Section | undefined {
  const value = valueOf(section, key);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return refuse(section, key, "a map of keys and values");
  return { ...section, data: value, keys: [...section.keys, key] };
}

/** Reads a list of maps. Passes other items to `readOther`, which may convert them. */
export function readSectionsKey(
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

/** Reports a warning for every key that is not in `known`. */
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

/** Returns the correction of `- message: text`, which was probably meant as one text. */
function quoteFix(item: JsonValue | undefined): string | null {
  if (!isRecord(item)) return null;
  const [[key, value] = []] = Object.entries(item);
  return typeof value === "string" ? `Write \`- ${JSON.stringify(`${key}: ${value}`)}\`` : null;
}
