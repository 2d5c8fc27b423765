import type { JsonValue } from "../../src/source/json.ts";

/** AIPack's result for a piece of Lua, and Cadre's result if it differs. */
export interface Expectation {
  /** The code, which ends with a `return`. */
  code: string;
  outcome: ScriptOutcome;
  /** The reason for Cadre's different result, and that result. */
  difference?: { why: string; here: ScriptOutcome };
}

/** All returned values (nil is null), or an error. A value may be a vitest matcher. */
export type ScriptOutcome = { values: readonly unknown[] } | { error: true };

/** A call of `aip.*` and the values that it returns. Without values it returns nil. */
export function gives(name: string, args: readonly JsonValue[], ...values: unknown[]): Expectation {
  return expectScript(`return aip.${name}(${args.map(toLua).join(", ")})`, ...values);
}

/** A call of `aip.*` that is an error. */
export function fails(name: string, args: readonly JsonValue[]): Expectation {
  return { code: `return aip.${name}(${args.map(toLua).join(", ")})`, outcome: { error: true } };
}

/** A script and the values it returns. */
export function expectScript(code: string, ...values: unknown[]): Expectation {
  return { code, outcome: { values } };
}

/** An expectation with Cadre's different result. */
export function differs(why: string, expectation: Expectation, here: ScriptOutcome): Expectation {
  return { ...expectation, difference: { why, here } };
}

function toLua(value: JsonValue): string {
  if (value === null) return "nil";
  if (typeof value === "string")
    return JSON.stringify(value).replaceAll(/\\u([\da-f]{4})/g, String.raw`\u{$1}`);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `{${value.map(toLua).join(", ")}}`;
  const entries = Object.entries(value).map(
    ([key, entry]) => `[${toLua(key)}] = ${toLua(entry ?? null)}`,
  );
  return `{${entries.join(", ")}}`;
}
