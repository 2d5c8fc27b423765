import type { ValidateFunction } from "ajv";
import { createAjv, type Dialect } from "./ajv-library.ts";

/**
 * Returns the check of schemas of a dialect. The build replaces this module with the code that ajv compiles for it (`scripts/bundle.ts`),
 * because compiling takes 15 to 70 ms.
 */
export function metaSchemaOf(dialect: Dialect): ValidateFunction {
  const ajv = createAjv(dialect);
  const check = ajv.getSchema(String(ajv.defaultMeta()));
  if (check === undefined) throw new Error(`ajv has no schema of schemas of ${dialect}.`);
  return check;
}
