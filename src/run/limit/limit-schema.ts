// The schemas of limits, apart from their types: the page of `cadre serve` has those without the library of schemas.

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
