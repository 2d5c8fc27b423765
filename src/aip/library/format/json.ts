// Library functions for data formats: JSON, YAML, TOML, CSV and Handlebars.

import type { JsonValue } from "../../../source/json.ts";
import type { LuaValue } from "../../lua/lua-value.ts";
import { type AipModule, anyOf, isAbsent, textArgument } from "../arguments.ts";
import { parseRelaxedJson } from "./relaxed-json.ts";
import { errorMessage } from "../../../error-message.ts";
import { sortedJson, sortKeys } from "../../../source/sorted-json.ts";

/** `aip.json`. */
export const json: AipModule = {
  parse: (args) => (isAbsent(args, 1) ? undefined : parseJsonc(textArgument(args, 1), args.name)),
  parse_ndjson: (args) =>
    isAbsent(args, 1) ? undefined : parseNdjson(textArgument(args, 1), args.name),
  stringify: (args) => writeSortedJson(anyOf(args, 1)),
  stringify_to_line: (args) => writeSortedJson(anyOf(args, 1)),
  stringify_pretty: (args) => JSON.stringify(sortKeys(anyOf(args, 1) ?? null), null, 2),
};

/** Formats a value as JSON on one line with sorted keys, because the order of keys in Lua tables varies between runs. */
export function writeSortedJson(value: LuaValue): string {
  return sortedJson(value ?? null);
}

/** Parses JSON line by line; skips empty lines. */
export function parseNdjson(content: string, name: string): JsonValue {
  const values: JsonValue[] = [];
  for (const [index, line] of content.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      values.push(JSON.parse(line) as JsonValue);
    } catch (error) {
      throw new Error(`${name}: line ${index + 1} is not JSON: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
  return values;
}

/** Parses lenient JSON; text without a value gives `null`. */
export function parseJsonc(content: string, name: string): JsonValue {
  try {
    return JSON.parse(content) as JsonValue;
  } catch {
    // Not strict JSON. The lenient parser is slower and has better messages.
  }
  try {
    return parseRelaxedJson(content);
  } catch (error) {
    throw new Error(`${name} failed: ${errorMessage(error)}`, { cause: error });
  }
}
