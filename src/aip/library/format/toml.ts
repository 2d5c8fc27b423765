import { isRecord, type JsonValue } from "../../../source/json.ts";
import { type AipModule, anyOf, textArgument, wrongArgument } from "../arguments.ts";
import { tomlLibrary } from "./lazy.ts";
import { errorMessage } from "../../../error-message.ts";

/** `aip.toml`. */
export const toml: AipModule = {
  parse: (args) => parseToml(textArgument(args, 1), args.name),
  stringify: (args) => {
    const value = anyOf(args, 1);
    if (Array.isArray(value) && value.length === 0) return "";
    if (!isRecord(value)) throw wrongArgument(args, 1, "a table with keys");
    return tomlLibrary().stringify(withoutNulls(value));
  },
};

/** Parses TOML into JSON; dates become strings. */
export function parseToml(content: string, name: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(tomlLibrary().parse(content))) as JsonValue;
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(`${name} failed: ${message.trim()}`, { cause: error });
  }
}

/** TOML has no null. */
function withoutNulls(value: Record<string, JsonValue>): Record<string, JsonValue> {
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(
    entries.map(([key, entry]) => [
      key,
      isRecord(entry) ? withoutNulls(entry as Record<string, JsonValue>) : entry,
    ]),
  );
}
