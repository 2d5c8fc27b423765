import { isRecord, type JsonValue } from "../../source/json.ts";
import type { LuaValue } from "../lua-value.ts";
import { type AipModule, anyOf, isAbsent, textOf } from "./arguments.ts";
import { parseRelaxedJson } from "./relaxed-json.ts";

/** `aip.json`. */
export const json: AipModule = {
  parse: (args) => (isAbsent(args, 1) ? undefined : parseJsonc(textOf(args, 1), args.name)),
  parse_ndjson: (args) => (isAbsent(args, 1) ? undefined : parseNdjson(textOf(args, 1), args.name)),
  stringify: (args) => writeJson(anyOf(args, 1)),
  stringify_to_line: (args) => writeJson(anyOf(args, 1)),
  stringify_pretty: (args) => JSON.stringify(sortKeys(anyOf(args, 1) ?? null), null, 2),
};

/** A value as JSON in one line, keys in order: what Lua's tables do not have would differ from run to run. */
export function writeJson(value: LuaValue): string {
  return JSON.stringify(sortKeys(value ?? null));
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortKeys(entry)]));
}

/** Reads a line of JSON at a time; empty lines are passed over. */
export function parseNdjson(content: string, name: string): JsonValue {
  const values: JsonValue[] = [];
  for (const [index, line] of content.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      values.push(JSON.parse(line) as JsonValue);
    } catch (error) {
      throw new Error(`${name}: line ${index + 1} is not JSON: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
  return values;
}

/** Reads JSON as people write it; text without any value gives `null`. */
export function parseJsonc(content: string, name: string): JsonValue {
  try {
    return JSON.parse(content) as JsonValue;
  } catch {
    // Not the JSON of machines: it is slower to read, and says better what is wrong.
  }
  try {
    return parseRelaxedJson(content);
  } catch (error) {
    throw new Error(`${name} failed: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
