import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { JsonObject } from "../../source/json.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Returns a retry policy in the form of Cadre's own format. */
export function writeRetry(policy: RetryPolicy): JsonObject {
  const { maxRetries, checks, onFailure, timeoutSeconds, onFailureTimeoutSeconds } = policy;
  return {
    max_retries: maxRetries,
    checks: checks.map(({ command }) => command),
    ...omitUndefined({
      on_failure: onFailure,
      timeout_seconds: timeoutSeconds,
      on_failure_timeout_seconds: onFailureTimeoutSeconds,
    }),
  };
}
