import { z } from "zod";

/** How a call names a run. */
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

/** What a call names a run by; `undefined` when it gives both or none. */
export function nameOf({ runId, label }: SessionName): string | undefined {
  return runId !== undefined && label !== undefined ? undefined : (runId ?? label);
}
