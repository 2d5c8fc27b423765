import { z } from "zod";

/** A line of text, for display. */
export const taskTitleSchema: z.ZodType<string> = z
  .string()
  .max(200)
  .regex(/^[^\n\r]*\S[^\n\r]*$/, "expected one line of text");

/** The id of a task. */
export const taskIdSchema: z.ZodType<string> = z
  .string()
  .regex(/^[\w.-]{1,50}$/, "expected 1 to 50 letters, digits, dots, dashes and underscores");

/** The ids of the tasks that a task waits for. */
export const taskIdsSchema: z.ZodType<string[]> = z.array(taskIdSchema).max(100);

/** A text that members of a team send each other. */
export const teamTextSchema: z.ZodType<string> = z.string().max(20_000);
