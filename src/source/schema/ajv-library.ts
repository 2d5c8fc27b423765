import { Ajv, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";

/** The version of JSON Schema of a schema. */
export type Dialect = "draft7" | "draft2020";

/** Creates a compiler of schemas of one dialect. */
export function createAjv(dialect: Dialect, options: Options = {}): Ajv {
  const ajv = new (dialect === "draft7" ? Ajv : Ajv2020)({
    allErrors: true,
    verbose: true,
    // Unknown keywords and formats are annotations.
    strict: false,
    logger: false,
    ownProperties: true,
    ...options,
  });
  return formats.default(ajv, { mode: "fast" });
}

/** Returns the check of schemas in the dialect of `ajv`. */
export function compileMetaSchema(ajv: Ajv): ValidateFunction {
  const id = ajv.defaultMeta();
  const check = typeof id === "string" ? ajv.getSchema(id) : undefined;
  if (check === undefined) throw new Error("Expected ajv to have a schema of schemas.");
  return check;
}
