// Checks of JSON Schemas, and of values against them.

import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type * as AjvLibrary from "./ajv-library.ts";
import { doWithin } from "../bounded-work.ts";
import { isRecord, type JsonObject } from "../json.ts";
import { loadLazily } from "../load-lazily.ts";
import type * as MetaSchemaLibrary from "./meta-schema-library.ts";
import { describeErrors } from "./schema-error.ts";
import { errorMessage } from "../../error-message.ts";

/** Validates a value. Returns a line for each problem, such as `count: expected integer, got "two"`; empty when valid. */
export type SchemaCheck = (value: unknown) => readonly string[];

/** The maximum length of a schema, in characters of JSON. */
const maxSchemaLength = 256 * 1024;
/** Time limits in milliseconds. A schema is untrusted and may take forever to compile or to check a value. */
const compileMs = 5000;
const checkMs = 1000;

/** Returns the problem of `schema` as a JSON Schema, or `undefined`. Remote references are never fetched. */
export function checkSchema(schema: unknown): string | undefined {
  const compiled = compileSchema(schema);
  return "problem" in compiled ? compiled.problem : undefined;
}

type Compiled = { check: SchemaCheck } | { problem: string };

const known = new WeakMap<object, Compiled>();

/**
 * Compiles `schema` to a check, or returns its problem. The dialect is draft 7 when `$schema` names draft 7 or an
 * older draft, and otherwise 2020-12. The same object is compiled once.
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
    if (length > maxSchemaLength) {
      return {
        problem: `Expected a JSON Schema of at most ${maxSchemaLength} characters, got ${length}.`,
      };
    }
    const compiled = doWithin(compileMs, () => compile(schema));
    return compiled ?? { problem: "This JSON Schema takes too long to compile; make it simpler." };
  } catch (error) {
    return { problem: `Invalid JSON Schema: ${errorMessage(error)}` };
  }
}

function compile(schema: JsonObject): Compiled {
  // An asynchronous schema would validate nothing here.
  if ("$async" in schema) return { problem: "A JSON Schema of output cannot be `$async`." };
  const dialect = isOld(schema) ? "draft7" : "draft2020";
  const errors = findErrors(schema, dialect);
  if (errors.length > 0) {
    const [first = "", ...more] = describeErrors(errors);
    const lines = [first, ...more].map((line) => `\n- ${line}`).join("");
    return { problem: `Invalid JSON Schema:${more.length === 0 ? ` ${first}` : lines}` };
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
    return [`the value cannot be checked: ${errorMessage(error)}`];
  }
}

function isOld({ $schema }: JsonObject): boolean {
  return typeof $schema === "string" && /\/draft-0\d\//.test($schema);
}

/** The meta-schemas that the build compiles, by `$schema` without the `#` at its end. */
const compiledDialects: ReadonlyMap<unknown, AjvLibrary.Dialect> = new Map([
  ["http://json-schema.org/draft-07/schema", "draft7"],
  ["https://json-schema.org/draft/2020-12/schema", "draft2020"],
]);
const metaSchemas = new Map<AjvLibrary.Dialect, ValidateFunction>();
const compilers = new Map<AjvLibrary.Dialect, Ajv>();

/** Checks a schema against the meta-schema of its dialect. Checks and compilers are cached, because creating them is slow. */
function findErrors(schema: JsonObject, dialect: AjvLibrary.Dialect): readonly ErrorObject[] {
  const { $schema: written } = schema;
  const name = typeof written === "string" ? written.replace(/#$/, "") : written;
  if (name === undefined || compiledDialects.get(name) === dialect) {
    const check = metaSchemas.get(dialect) ?? loadMetaSchema(dialect);
    metaSchemas.set(dialect, check);
    return check(schema) ? [] : (check.errors ?? []);
  }
  // An unknown `$schema`: ajv's error describes the problem.
  const compiler = compilers.get(dialect) ?? createAjv(dialect);
  compilers.set(dialect, compiler);
  return compiler.validateSchema(schema) === true ? [] : (compiler.errors ?? []);
}

// Most programs need neither of the two.

function loadMetaSchema(dialect: AjvLibrary.Dialect): ValidateFunction {
  const library = loadLazily("./meta-schema-library", import.meta.url) as typeof MetaSchemaLibrary;
  return library.metaSchemaOf(dialect);
}

function createAjv(...settings: Parameters<typeof AjvLibrary.createAjv>): Ajv {
  const library = loadLazily("./ajv-library", import.meta.url) as typeof AjvLibrary;
  return library.createAjv(...settings);
}
