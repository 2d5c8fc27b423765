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
 * Accepts any JSON value. `z.json()` creates its six parts again at each conversion to JSON Schema, which then defines each of them
 * separately.
 */
export const jsonValue: z.ZodType<JsonValue> = z.lazy(anyJson);
