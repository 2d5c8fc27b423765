import { z } from "zod";

/** The name of a run in a call. */
export interface SessionName {
  runId?: string | undefined;
  label?: string | undefined;
}

/** The arguments that name a run. */
export const sessionName: {
  runId: z.ZodOptional<z.ZodString>;
  label: z.ZodOptional<z.ZodString>;
} = {
  runId: z.string().min(1).optional().describe("The run's id."),
  label: z.string().min(1).optional().describe("Its label, instead of the id."),
};

/** Returns the id or label in a call; `undefined` when the call has both or neither. */
export function sessionOf({ runId, label }: SessionName): string | undefined {
  return runId !== undefined && label !== undefined ? undefined : (runId ?? label);
}
