import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import type { OutputSchema } from "../spawn-options.ts";
import { errorMessage } from "../../error-message.ts";

/** Cached by schema: a program usually starts many runs with one schema. */
const converted = new WeakMap<object, JsonObject>();

/**
 * Converts `schema` to JSON Schema; a JSON Schema stays as it is. The journal contains JSON and models see JSON Schema, so a
 * schema that JSON Schema cannot express is refused.
 *
 * @throws CadreError `invalid-argument` that names each place that cannot be converted.
 */
export function toJsonSchema(schema: JsonObject | OutputSchema<unknown>): JsonObject {
  if (!isOutputSchema(schema)) return schema;
  const known = converted.get(schema) ?? convert(schema);
  converted.set(schema, known);
  return known;
}

function isOutputSchema(
  schema: JsonObject | OutputSchema<unknown>,
): schema is OutputSchema<unknown> {
  // Schemas of some libraries are functions.
  const isObject = typeof schema === "object" ? schema !== null : typeof schema === "function";
  return isObject && "~standard" in schema && isRecord(schema["~standard"]);
}

function convert(schema: OutputSchema<unknown>): JsonObject {
  const { vendor } = schema["~standard"];
  if (isZod(schema)) return convertZod(schema);
  const { jsonSchema } = schema["~standard"];
  if (!isConverter(jsonSchema)) {
    throw refusal(`a schema of ${vendor}, which does not convert itself to JSON Schema`, []);
  }
  try {
    return jsonSchema.output({ target: "draft-2020-12" });
  } catch (error) {
    throw refusal(`a schema of ${vendor}`, [errorMessage(error)]);
  }
}

interface Converter {
  output(options: { target: "draft-2020-12" }): JsonObject;
}

function isConverter(value: unknown): value is Converter {
  return isRecord(value) && typeof value["output"] === "function";
}

function isZod(schema: object): schema is z.core.$ZodType {
  return "_zod" in schema;
}

function convertZod(schema: z.core.$ZodType): JsonObject {
  const problems: string[] = [];
  z.toJSONSchema(schema, {
    io: "output",
    // Collects every problem with its place. zod itself names only the first one, without a place.
    unrepresentable: "any",
    override({ zodSchema, path }) {
      const problem = problemOf(zodSchema);
      if (problem !== undefined) problems.push(`#/${path.join("/")}: ${problem}`);
    },
  });
  if (problems.length > 0) throw refusal("a schema of zod", problems);
  try {
    // Through JSON, without the functions that zod adds.
    return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: "output" }))) as JsonObject;
  } catch (error) {
    throw refusal("a schema of zod", [errorMessage(error)]);
  }
}

/** The zod types whose values JSON cannot represent. */
const notJson: ReadonlySet<string> = new Set([
  "bigint",
  "custom",
  "date",
  "file",
  "function",
  "map",
  "nan",
  "promise",
  "set",
  "symbol",
  "transform",
  "undefined",
  "void",
]);

/** Returns the part of a zod schema that its JSON Schema cannot express. */
function problemOf({ _zod }: z.core.$ZodType): string | undefined {
  const { type, checks = [] } = _zod.def;
  const kinds = new Set(checks.map((check) => check._zod.def.check));
  if (kinds.has("custom")) return "a refinement with code of its own";
  if (kinds.has("overwrite")) return "a change of the value, such as trim()";
  return notJson.has(type) ? `the type ${type}` : undefined;
}

function refusal(what: string, problems: readonly string[]): CadreError {
  const lines = problems.map((problem) => `\n- ${problem}`).join("");
  const message = `Expected an \`outputSchema\` that JSON Schema can express, because models answer in JSON; got ${what}${problems.length > 0 ? ` with:${lines}\nUse a schema without these, and convert or check the value of \`result.output\` in your program.` : ". Give a JSON Schema, or a schema of zod 4."}`;
  return new CadreError("invalid-argument", message, { details: { problems: [...problems] } });
}
