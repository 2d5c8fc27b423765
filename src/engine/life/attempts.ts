import type { Failure, FailureCode } from "../../run/failure.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import { type CheckOptions, runChecks, runCleanup } from "./checks.ts";
import { isOverflowAtStart } from "../conversation/overflow.ts";
import { isRegistryFailure } from "./ending.ts";
import { type AttemptServices, executeAttempt } from "./execute-attempt.ts";
import type { Conclusion, RunContext } from "../run-context/run-context.ts";
import { settleOnStop, stopOf } from "../run-context/stop.ts";
import { RunFailed, toFailure } from "../run-failed.ts";

/** Options of {@link makeAttempts}. */
export interface AttemptOptions extends CheckOptions, AttemptServices {}

/** Failures that a retry cannot fix: someone decided so, or the definition is wrong. */
const finalCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "cancelled",
  "timed-out",
  "interrupted",
  "budget-exceeded",
  "permission-denied",
  "definition-invalid",
]);

/**
 * Makes attempts at a run according to its `retry` policy until an answer passes the checks or no attempt is left. A stalled
 * attempt is stopped and followed by the next. Each attempt starts over, with its step keys under `try/N/`. The time limit and
 * the budget apply to all attempts together.
 *
 * @throws RunFailed of the last attempt; `output-invalid` when its answer did not pass a check.
 */
export function makeAttempts(run: RunContext, options: AttemptOptions): Promise<Conclusion> {
  const { retry } = run.spec;
  return retry === undefined ? executeAttempt(run, options) : makeSeveral(run, options, retry);
}

async function makeSeveral(
  run: RunContext,
  options: AttemptOptions,
  retry: RetryPolicy,
): Promise<Conclusion> {
  const { spec, registry } = run;
  const recorded = await registry.run(spec.id);
  const told = new Set(run.warnings);
  // Do not repeat attempts that failed in an earlier process: not every failure is a step, so the outcome could differ.
  for (let number = (recorded?.retries ?? 0) + 1; ; number += 1) {
    const stalled = new AbortController();
    const signal = AbortSignal.any([run.signal, stalled.signal]);
    const prefix = number === 1 ? run.prefix : `try/${number}/`;
    run.watchdog.guardAttempt(stalled);
    const own = { ...run, prefix, signal };
    if (number > 1) await runCleanup(own, options, retry);
    const outcome = await tryOnce(own, options);
    if ("conclusion" in outcome) return outcome.conclusion;
    run.signal.throwIfAborted();
    const { failure } = outcome;
    if (number > retry.maxRetries) throw new RunFailed(failure);
    // A resume repeats no steps of this attempt, which would warn again.
    const warnings = [...run.warnings].filter((warning) => !told.has(warning));
    for (const warning of warnings) told.add(warning);
    const failed = { type: "attempt-failed", attempt: number, failure } as const;
    registry.append(spec.id, { ...failed, ...(warnings.length > 0 && { warnings }) });
  }
}

async function tryOnce(
  run: RunContext,
  options: AttemptOptions,
): Promise<{ conclusion: Conclusion } | { failure: Failure }> {
  const { spec, conclusion: partial, signal } = run;
  const { retry = { maxRetries: 0, checks: [] } } = spec;
  try {
    const conclusion = await settleOnStop(executeAttempt(run, options), signal, options.clock);
    partial.text = conclusion.text;
    const failed = await runChecks(run, options, retry);
    return failed === undefined ? { conclusion } : { failure: failed };
  } catch (error) {
    if (isRegistryFailure(error)) throw error;
    const failure = stopOf(signal)?.failure ?? toFailure(error);
    if (finalCodes.has(failure.code) || isOverflowAtStart(failure)) throw error;
    return { failure };
  }
}
