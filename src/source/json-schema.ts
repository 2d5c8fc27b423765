import { createRequire } from "node:module";
import type { Ajv, Options, ValidateFunction } from "ajv";
import type { FormatsPlugin } from "ajv-formats";
import { doWithin } from "./bounded-work.ts";
import { isRecord, type JsonObject } from "./json.ts";
import { describeErrors } from "./schema-error.ts";

/** Validates a value; returns a line for each problem, such as `count: expected integer, got "two"`; empty = valid. */
export type SchemaCheck = (value: unknown) => readonly string[];

/** The longest schema, in characters of JSON. */
const longestSchema = 256 * 1024;
/** Time limits, in milliseconds: a schema is untrusted and may take forever to compile or to check a value. */
const compileMs = 5000;
const checkMs = 1000;

const load = createRequire(import.meta.url);

/** Returns the problem of `schema` as a JSON Schema, or `undefined`. Remote references are never fetched. */
export function checkSchema(schema: unknown): string | undefined {
  const compiled = compileSchema(schema);
  return "problem" in compiled ? compiled.problem : undefined;
}

type Compiled = { check: SchemaCheck } | { problem: string };

const known = new WeakMap<object, Compiled>();

/**
 * Compiles `schema` to a check, or returns its problem. The dialect is draft 7 where `$schema` names draft 7 or an
 * older one, else 2020-12. The same object is compiled once.
 */
export function compileSchema(schema: unknown): Compiled {
  if (!isRecord(schema)) return { problem: "Expected a JSON Schema, which is an object." };
  const before = known.get(schema);
  if (before !== undefined) return before;
  const compiled = compileAnew(schema as JsonObject);
  known.set(schema, compiled);
  return compiled;
}

function compileAnew(schema: JsonObject): Compiled {
  try {
    const { length } = JSON.stringify(schema);
    if (length > longestSchema) {
      return {
        problem: `Expected a JSON Schema of at most ${longestSchema} characters, got ${length}.`,
      };
    }
    const compiled = doWithin(compileMs, () => compile(schema));
    return compiled ?? { problem: "This JSON Schema takes too long to compile; make it simpler." };
  } catch (error) {
    return { problem: `Invalid JSON Schema: ${messageOf(error)}` };
  }
}

function compile(schema: JsonObject): Compiled {
  // An asynchronous schema would validate nothing here.
  if ("$async" in schema) return { problem: "A JSON Schema of output cannot be `$async`." };
  const dialect = isOld(schema) ? "draft7" : "2020";
  const meta = metaOf(dialect);
  if (meta.validateSchema(schema) !== true) {
    const problems = describeErrors(meta.errors ?? []).join("\n- ");
    return { problem: `Invalid JSON Schema:\n- ${problems}` };
  }
  // A separate instance for each schema, so that the `$id`s of two schemas do not collide.
  const validate = createAjv(dialect, { meta: false, validateSchema: false }).compile(schema);
  return {
    check(value) {
      const problems = doWithin(checkMs, () => checkValue(validate, value));
      return problems ?? ["the value takes too long to check against its schema: make it shorter"];
    },
  };
}

function checkValue(validate: ValidateFunction, value: unknown): string[] {
  try {
    return validate(value) ? [] : describeErrors(validate.errors ?? []);
  } catch (error) {
    // The value is nested too deeply for a recursive schema.
    return [`the value cannot be checked: ${messageOf(error)}`];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isOld({ $schema }: JsonObject): boolean {
  return typeof $schema === "string" && /\/draft-0\d\//.test($schema);
}

type Dialect = "draft7" | "2020";

const metas = new Map<Dialect, Ajv>();

/** Returns the validator of schemas, which is cached because it is slow to compile. */
function metaOf(dialect: Dialect): Ajv {
  const meta = metas.get(dialect) ?? createAjv(dialect, {});
  metas.set(dialect, meta);
  return meta;
}

function createAjv(dialect: Dialect, options: Options): Ajv {
  const { Constructor, addFormats } = loadAjv(dialect);
  const ajv = new Constructor({
    allErrors: true,
    verbose: true,
    // Unknown keywords and formats are annotations.
    strict: false,
    logger: false,
    ownProperties: true,
    ...options,
  });
  return addFormats(ajv, { mode: "fast" });
}

/** Loads the compiler on first use, because most programs need none. */
function loadAjv(dialect: Dialect): {
  Constructor: new (options: Options) => Ajv;
  addFormats: FormatsPlugin;
} {
  const { default: addFormats } = load("ajv-formats") as { default: FormatsPlugin };
  const { Ajv: Draft7 } = load("ajv") as { Ajv: new (options: Options) => Ajv };
  if (dialect === "draft7") return { Constructor: Draft7, addFormats };
  const { Ajv2020 } = load("ajv/dist/2020.js") as { Ajv2020: new (options: Options) => Ajv };
  return { Constructor: Ajv2020, addFormats };
}
