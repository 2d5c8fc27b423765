import { UsageError } from "./usage-error.ts";

/** Parses `key=value` pairs; the value is everything after the first equals sign. */
export function parseParameters(pairs: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 1) {
      throw new UsageError(
        `Expected --param key=value, such as --param target=src; got ${JSON.stringify(pair)}.`,
      );
    }
    const key = pair.slice(0, equals).trim();
    if (values.has(key)) throw new UsageError(`Expected one value for ${key}; got several.`);
    values.set(key, pair.slice(equals + 1));
  }
  return Object.fromEntries(values);
}
