import { isRecord, type JsonValue, parseJson } from "../../source/json.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { RecipeParameter } from "../recipe.ts";
import { describeValue } from "../../source/read-value.ts";

const date = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[-+]\d{2}:?\d{2})?)?$/;

/**
 * Returns the problem of a parameter's value as `expected …, got …`, or `null`. A text may represent a value of any
 * type.
 */
export function checkValue(parameter: RecipeParameter, value: JsonValue): string | null {
  const expected = expectation(parameter, value);
  return expected === null ? null : `expected ${expected}, got ${describeValue(value)}`;
}

/**
 * Converts a valid value for templates. As in goose, every value becomes text, so that `{% if flag == "true" %}` works. Only
 * objects and arrays keep their type.
 */
export function convertValue({ inputType }: RecipeParameter, value: JsonValue): JsonValue {
  if (inputType === "object" || inputType === "array") {
    return typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
  }
  return valueText(value);
}

/** Converts a value to text for a template or a parameter of another recipe. */
export function valueText(value: JsonValue): string {
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
  return typeof value === "string" ? parseJson(value) : value;
}
