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
  "model-unavailable": "model-unavailable",
  "model-error": "model-error",
  "not-trusted": "permission-denied",
};

/** Turns whatever was thrown while a run executed into a failure: the one place where that happens. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CadreError) {
    const failure: Failure = { code: codes[error.code] ?? "internal", message: error.message };
    if (Object.keys(error.details).length > 0) failure.details = toJson(error.details);
    if (error.cause !== undefined) failure.cause = toFailure(error.cause);
    return failure;
  }
  if (error instanceof Error) {
    const failure: Failure = { code: "internal", message: error.message || error.name };
    if (error.cause !== undefined) failure.cause = toFailure(error.cause);
    return failure;
  }
  return { code: "internal", message: String(error) };
}

function toJson(details: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(details)) as JsonObject;
}

/** Thrown inside a run to end it with `failure`; only the engine sees it. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "RunFailed";
    this.failure = failure;
  }
}
