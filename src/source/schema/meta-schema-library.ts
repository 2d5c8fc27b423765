import type { ValidateFunction } from "ajv";
import { compileMetaSchema, createAjv, type Dialect } from "./ajv-library.ts";

/**
 * Returns the check of schemas in a dialect. The build replaces this module with the code that ajv compiles for it (`scripts/bundle.ts`),
 * because compiling takes 15 to 70 ms.
 */
export function metaSchemaOf(dialect: Dialect): ValidateFunction {
  return compileMetaSchema(createAjv(dialect));
}
