import { z } from "zod";
import { onFirstUse } from "../on-first-use.ts";
import type { JsonValue } from "./json.ts";

const anyJson = onFirstUse(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(jsonValue),
    z.record(z.string(), jsonValue),
  ]),
);

/**
 * Accepts any JSON value. `z.json()` makes its six parts again whenever it is converted to JSON Schema, and each has a definition of
 * its own in it.
 */
export const jsonValue: z.ZodType<JsonValue> = z.lazy(anyJson);
