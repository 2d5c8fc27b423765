import { z } from "zod";
import { CadreError } from "../errors.ts";
import type { Delegation } from "./delegation.ts";

/** The longest timeout there may be, in seconds: a day. */
const maxTimeoutSeconds = 86_400;

const schema: z.ZodType<Delegation> = z.strictObject({
  agent: z.string().min(1),
  task: z.string().regex(/\S/, "a task is expected, got nothing"),
  label: z.string().exactOptional(),
  model: z.string().min(1).exactOptional(),
  timeoutSeconds: z.number().positive().max(maxTimeoutSeconds).exactOptional(),
});

/**
 * Checks a request for a run; programs and scripts have no compiler that did it.
 *
 * @throws CadreError `invalid-argument` that names every field and what it should be.
 */
export function checkDelegation(delegation: Delegation): void {
  const { error } = schema.safeParse(delegation);
  if (error === undefined) return;
  const issues = error.issues.map(
    ({ path, message }) => `- ${path.join(".") || "the request"}: ${message}`,
  );
  const message = `Expected a request for a run as { agent, task, label?, model?, timeoutSeconds? }:\n${issues.join("\n")}`;
  throw new CadreError("invalid-argument", message);
}
