import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { JsonObject } from "../../source/json.ts";

/** A retry policy as agent files of Cadre's own format hold it. */
export function writeRetry(policy: RetryPolicy): JsonObject {
  const { maxRetries, checks, onFailure, timeoutSeconds, onFailureTimeoutSeconds } = policy;
  return {
    max_retries: maxRetries,
    checks: checks.map(({ command }) => command),
    ...(onFailure !== undefined && { on_failure: onFailure }),
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(onFailureTimeoutSeconds !== undefined && {
      on_failure_timeout_seconds: onFailureTimeoutSeconds,
    }),
  };
}
