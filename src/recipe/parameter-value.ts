import type { JsonValue } from "../source/json.ts";
import { isRecord } from "../source/json.ts";
import { didYouMean } from "../source/nearest.ts";
import type { RecipeParameter } from "./recipe.ts";
import { describeValue } from "./report.ts";

const date = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[-+]\d{2}:?\d{2})?)?$/;

/** What is wrong with a value for a parameter, as `expected …, got …`, or `null`. Text counts as what it says. */
export function checkValue(parameter: RecipeParameter, value: JsonValue): string | null {
  const expected = expectation(parameter, value);
  return expected === null ? null : `expected ${expected}, got ${describeValue(value)}`;
}

/**
 * The form in which templates see a good value. As in goose they see text, whatever the type, so that
 * `{% if flag == "true" %}` means what its author meant; objects and arrays are what they are.
 */
export function convertValue({ inputType }: RecipeParameter, value: JsonValue): JsonValue {
  if (inputType === "object" || inputType === "array") {
    return typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
  }
  return plainText(value);
}

/** A value as text that a template or another recipe's parameter takes. */
export function plainText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function expectation(parameter: RecipeParameter, value: JsonValue): string | null {
  const isScalar = value !== null && typeof value !== "object";
  const text = isScalar ? String(value) : "";
  switch (parameter.inputType) {
    case "string":
      return isScalar ? null : "text";
    case "file":
      return typeof value === "string" && value.trim() !== "" ? null : "the path of a file";
    case "number":
      return isScalar && text.trim() !== "" && Number.isFinite(Number(text)) ? null : "a number";
    case "boolean":
      return isScalar && /^(true|false)$/i.test(text.trim()) ? null : "`true` or `false`";
    case "date":
      return isScalar && isDate(text.trim()) ? null : "a date such as 2026-11-30";
    case "select":
      return isScalar ? expectChoice(parameter, text) : "one of the options";
    case "object":
      return isRecord(parsed(value)) ? null : "a JSON object";
    case "array":
      return Array.isArray(parsed(value)) ? null : "a JSON array";
  }
}

function expectChoice({ options = [] }: RecipeParameter, text: string): string | null {
  if (options.length === 0 || options.includes(text)) return null;
  const hint = didYouMean(text, options);
  return `one of ${options.map((option) => `\`${option}\``).join(", ")}${hint === "" ? "" : ` (${hint.trim()})`}`;
}

function isDate(text: string): boolean {
  return date.test(text) && !Number.isNaN(Date.parse(text.slice(0, 10)));
}

function parsed(value: JsonValue): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
