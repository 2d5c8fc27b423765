/** The codes of a {@link CadreError}. */
export type CadreErrorCode =
  | "invalid-argument"
  | "config-invalid"
  | "definition-invalid"
  | "agent-not-found"
  | "delegation-denied"
  | "depth-exceeded"
  | "limit-exceeded"
  | "budget-exceeded"
  | "dependency-not-found"
  | "dependency-cycle"
  | "run-not-found"
  | "model-unavailable"
  | "model-error"
  | "tool-failed"
  | "tool-unavailable"
  | "registry-unavailable"
  | "registry-newer"
  | "lease-lost"
  | "run-owned"
  | "already-answered"
  | "not-trusted"
  | "timed-out"
  | "closed";

/**
 * The only class that Cadre throws, for misuse and a broken environment. The end of a run is data and is never thrown.
 *
 * `code` is stable and safe to match on; `details` is JSON.
 */
export class CadreError extends Error {
  readonly code: CadreErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: CadreErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CadreError";
    this.code = code;
    this.details = options.details ?? {};
  }
}
