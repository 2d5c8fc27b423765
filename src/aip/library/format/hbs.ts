import { isRecord, type JsonValue } from "../../../source/json.ts";
import { type AipModule, anyOf, textArgument } from "../arguments.ts";
import { handlebarsLibrary } from "./lazy.ts";

/** `aip.hbs`. */
export const hbs: AipModule = {
  render: (args) => renderTemplate(textArgument(args, 1), anyOf(args, 2) ?? null),
};

type Engine = ReturnType<typeof createEngine>;
let engine: Engine | undefined;

/**
 * Renders a Handlebars template. Escapes nothing; absent values render as nothing. The helpers are those of AIPack's engine (`eq
 * ne gt gte lt lte and or not len` besides the usual ones).
 *
 * @throws Error with the place in the template.
 */
export function renderTemplate(template: string, data: JsonValue): string {
  if (!template.includes("{{")) return template;
  engine ??= createEngine();
  return engine(prepare(template), data);
}

/**
 * Parses a template without rendering it.
 *
 * @throws Error with the place in the template.
 */
export function readTemplate(template: string): void {
  if (template.includes("{{")) handlebarsLibrary().parse(prepare(template));
}

function prepare(template: string): string {
  return template.replaceAll(closedByMore, "$1{{!}}");
}

/** In AIPack's engine `{{a}}}` is `{{a}}` and a brace; Handlebars would read all braces as one token. */
const closedByMore = /(?<![\\{])(\{\{(?![{!])[^{}]*\}\}|\{\{\{(?!\{)[^{}]*\}\}\})(?=\})/g;

function createEngine(): (template: string, data: JsonValue) => string {
  const handlebars = handlebarsLibrary().create();
  handlebars.unregisterHelper("log");
  // An empty object is false, as in AIPack; in Handlebars only an empty list is.
  const test = (value: unknown): boolean => isTrue(typeof value === "function" ? undefined : value);
  const helpers: Record<string, (...values: unknown[]) => unknown> = {
    eq: (left, right) => left === right,
    ne: (left, right) => left !== right,
    gt: (left, right) => compare(left, right) > 0,
    gte: (left, right) => compare(left, right) >= 0,
    lt: (left, right) => compare(left, right) < 0,
    lte: (left, right) => compare(left, right) <= 0,
    and: (...values) => values.slice(0, -1).every(test),
    or: (...values) => values.slice(0, -1).some(test),
    not: (value) => !test(value),
    len: (value) => lengthOf(value),
  };
  for (const [name, helper] of Object.entries(helpers)) handlebars.registerHelper(name, helper);
  handlebars.registerHelper("raw", function raw(this: unknown, options: BlockOptions) {
    return options.fn(this);
  });
  handlebars.registerHelper("if", blockHelper(test));
  handlebars.registerHelper(
    "unless",
    blockHelper((value) => !test(value)),
  );
  return (template, data) =>
    handlebars.compile(template, { noEscape: true })(withWords(data), {
      allowProtoMethodsByDefault: false,
      allowProtoPropertiesByDefault: false,
    });
}

/** Compares two values: less than 0, 0, more than 0, or NaN for values without an order. */
function compare(left: unknown, right: unknown): number {
  if (typeof left !== "string" || typeof right !== "string") return Number(left) - Number(right);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Makes lists and tables render as in AIPack: `[a, b]` and `[object]`. */
function withWords(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const entries = Array.isArray(value) ? value : Object.values(value);
  for (const entry of entries) withWords(entry);
  // Not enumerable, so that no block iterates over it.
  if (!Object.hasOwn(value, "toString"))
    Object.defineProperty(value, "toString", { value: () => wordsOf(value) });
  return value;
}

function wordsOf(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(wordsOf).join(", ")}]`;
  return typeof value === "object" ? (value === null ? "" : "[object]") : String(value);
}

interface BlockOptions {
  fn: (context: unknown) => string;
  inverse: (context: unknown) => string;
  hash: Record<string, unknown>;
}

function blockHelper(
  test: (value: unknown) => boolean,
): (this: unknown, value: unknown, options: BlockOptions) => string {
  return function choose(value, options) {
    const isZero = value === 0 && options.hash["includeZero"] === true;
    return isZero || test(value) ? options.fn(this) : options.inverse(this);
  };
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value) || typeof value === "string") return value.length;
  return isRecord(value) ? Object.keys(value).length : 0;
}
