import type { JsonObject } from "../source/json.ts";

/** All failure codes of runs; stable, stored, and safe to match on. */
export const failureCodes = [
  "agent-not-found",
  "definition-invalid",
  "input-invalid",
  "output-invalid",
  "model-unavailable",
  "model-error",
  "tool-unavailable",
  "permission-denied",
  "delegation-denied",
  "depth-exceeded",
  "limit-exceeded",
  "budget-exceeded",
  "dependency-not-found",
  "dependency-failed",
  "dependency-cycle",
  "pipeline-halted",
  "timed-out",
  "cancelled",
  "stalled",
  "interrupted",
  "internal",
] as const;

/** The code of a {@link Failure}; stable, stored, and safe to match on. */
export type FailureCode = (typeof failureCodes)[number];

/** The reason why a run did not succeed. Plain JSON. */
export interface Failure {
  code: FailureCode;
  message: string;
  details?: JsonObject;
  cause?: Failure;
}
