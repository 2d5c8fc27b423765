import { isRecord, type JsonValue } from "../../source/json.ts";
import { type AipModule, anyOf, textOf } from "./arguments.ts";
import { handlebarsLibrary } from "./lazy.ts";

/** `aip.hbs`. */
export const hbs: AipModule = {
  render: (args) => renderTemplate(textOf(args, 1), anyOf(args, 2) ?? null),
};

type Engine = ReturnType<typeof createEngine>;
let engine: Engine | undefined;

/**
 * Fills in a Handlebars template. Nothing is escaped; what is absent becomes nothing; helpers are those of AIPack's
 * engine (`eq ne gt gte lt lte and or not len` beside the usual ones).
 *
 * @throws Error with the place in the template.
 */
export function renderTemplate(template: string, data: JsonValue): string {
  if (!template.includes("{{")) return template;
  engine ??= createEngine();
  return engine(template, data);
}

function createEngine(): (template: string, data: JsonValue) => string {
  const handlebars = handlebarsLibrary().create();
  handlebars.unregisterHelper("log");
  // An empty object is false, as in AIPack; in Handlebars only an empty list is.
  const test = (value: unknown): boolean => isTrue(typeof value === "function" ? undefined : value);
  const helpers: Record<string, (...values: unknown[]) => unknown> = {
    eq: (left, right) => left === right,
    ne: (left, right) => left !== right,
    gt: (left, right) => Number(left) > Number(right),
    gte: (left, right) => Number(left) >= Number(right),
    lt: (left, right) => Number(left) < Number(right),
    lte: (left, right) => Number(left) <= Number(right),
    and: (...values) => values.slice(0, -1).every(test),
    or: (...values) => values.slice(0, -1).some(test),
    not: (value) => !test(value),
    len: (value) => lengthOf(value),
  };
  for (const [name, helper] of Object.entries(helpers)) handlebars.registerHelper(name, helper);
  handlebars.registerHelper("if", blockHelper(test));
  handlebars.registerHelper(
    "unless",
    blockHelper((value) => !test(value)),
  );
  return (template, data) =>
    handlebars.compile(template, { noEscape: true })(data, {
      allowProtoMethodsByDefault: false,
      allowProtoPropertiesByDefault: false,
    });
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
