// Schemas of limits. They are separate from their types, so that the page of `cadre serve` can import the types without zod.

/**
 * The schemas of limits, separate from their types, so that the page of `cadre serve` can import the types without the schema
 * library.
 */

import { z } from "zod";
import { closedObject } from "../../source/closed-object.ts";
import type { Budget, LimitRaise } from "../budget.ts";

/** Validates a {@link Budget}. */
export const budgetSchema: z.ZodType<Budget> = closedObject({
  tokens: z.number().positive().exactOptional(),
  usd: z.number().positive().exactOptional(),
  wallSeconds: z.number().positive().exactOptional(),
  toolCalls: z.int().min(0).exactOptional(),
});

/** Validates a {@link LimitRaise}. */
export const limitRaiseSchema: z.ZodType<LimitRaise> = closedObject({
  budget: budgetSchema.exactOptional(),
  timeoutSeconds: z.number().positive().exactOptional(),
});
