import { CadreError, type CadreErrorCode } from "../errors.ts";
import type { Failure, FailureCode } from "../run/failure.ts";
import type { JsonObject } from "../source/json.ts";

const codes: Partial<Record<CadreErrorCode, FailureCode>> = {
  "invalid-argument": "input-invalid",
  "definition-invalid": "definition-invalid",
  "agent-not-found": "agent-not-found",
  "delegation-denied": "delegation-denied",
  "depth-exceeded": "depth-exceeded",
  "limit-exceeded": "limit-exceeded",
  "budget-exceeded": "budget-exceeded",
  "dependency-not-found": "dependency-not-found",
  "dependency-cycle": "dependency-cycle",
  "model-unavailable": "model-unavailable",
  "model-error": "model-error",
  "tool-unavailable": "tool-unavailable",
  "not-trusted": "permission-denied",
};

/** The maximum number of causes that are kept. A chain of causes may be circular. */
const maxCauses = 10;

/**
 * Converts anything thrown during a run into a failure. This is the only place that does so. It never throws, because otherwise
 * the run would not end.
 */
export function toFailure(error: unknown, causesLeft: number = maxCauses): Failure {
  if (error instanceof RunFailed) return error.failure;
  const { code, details } =
    error instanceof CadreError ? error : ({ code: undefined, details: {} } as const);
  const failure: Failure = {
    code: (code && codes[code]) ?? "internal",
    message: messageOf(error),
  };
  const stored = toJson(details);
  if (stored !== null) failure.details = stored;
  if (error instanceof Error && error.cause !== undefined && causesLeft > 0) {
    failure.cause = toFailure(error.cause, causesLeft - 1);
  }
  return failure;
}

/** Returns the message of a thrown value. Foreign code may throw anything, even a value without a text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return "something was thrown that cannot be shown as text";
  }
}

function toJson(details: Readonly<Record<string, unknown>>): JsonObject | null {
  if (Object.keys(details).length === 0) return null;
  try {
    return JSON.parse(JSON.stringify(details)) as JsonObject;
  } catch {
    // The value has a cycle or a BigInt, so the message must suffice.
    return null;
  }
}

/** Thrown inside a run to end it with `failure`. Only the engine sees it. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "RunFailed";
    this.failure = failure;
  }
}
