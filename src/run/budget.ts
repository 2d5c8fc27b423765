import { z } from "zod";
import { closedObject } from "../source/closed-object.ts";

/** Limits of what a run and all its descendants may use together. Absent = no limit. */
export interface Budget {
  /** Input and output tokens. */
  tokens?: number;
  /** US dollars. */
  usd?: number;
  /** Seconds from the start of the run. */
  wallSeconds?: number;
  /** Calls of tools. */
  toolCalls?: number;
}

/** Validates a {@link Budget}. */
export const budgetSchema: z.ZodType<Budget> = closedObject({
  tokens: z.number().positive().exactOptional(),
  usd: z.number().positive().exactOptional(),
  wallSeconds: z.number().positive().exactOptional(),
  toolCalls: z.int().min(0).exactOptional(),
});
