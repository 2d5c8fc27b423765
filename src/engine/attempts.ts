import type { Clock } from "../clock.ts";
import type { Failure, FailureCode } from "../run/failure.ts";
import { type CheckOptions, runChecks, tidyUp } from "./checks.ts";
import { isRegistryFailure } from "./ending.ts";
import type { Conclusion, Session } from "./session.ts";
import { settleOnStop, stopOf } from "./stop.ts";
import { RunFailed, toFailure } from "./to-failure.ts";

/** What {@link makeAttempts} needs. */
export interface AttemptOptions extends CheckOptions {
  clock: Clock;
}

/** Trying again would not change these: somebody decided so, or the definition is at fault. */
const finalCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "cancelled",
  "timed-out",
  "interrupted",
  "budget-exceeded",
  "permission-denied",
  "definition-invalid",
]);

/**
 * Makes attempts at a run as its `retry` says: until one comes to an answer that passes the checks, or there may be no
 * more; one that stalls is stopped and followed by the next. Each begins anew, with the keys of its steps under `try/N/`;
 * time and budget are those of the run.
 *
 * @throws RunFailed of the last attempt, `output-invalid` when that did not pass a check.
 */
export async function makeAttempts(
  session: Session,
  options: AttemptOptions,
  attempt: (session: Session) => Promise<Conclusion>,
): Promise<Conclusion> {
  const { spec, registry } = session;
  const { retry } = spec;
  if (retry === undefined) return await attempt(session);
  const run = await registry.run(spec.id);
  // Those that an earlier process saw fail are not executed again: not every failure is a step, and it could come out otherwise.
  for (let number = (run?.retries ?? 0) + 1; ; number += 1) {
    const stalled = new AbortController();
    const signal = AbortSignal.any([session.signal, stalled.signal]);
    const prefix = number === 1 ? session.prefix : `try/${number}/`;
    session.watchdog.guardAttempt(stalled);
    const own = { ...session, prefix, signal };
    if (number > 1) await tidyUp(own, options, retry);
    const outcome = await tryOnce(own, options, attempt);
    if ("conclusion" in outcome) return outcome.conclusion;
    session.signal.throwIfAborted();
    const { failure } = outcome;
    if (number > retry.maxRetries) throw new RunFailed(failure);
    registry.append(spec.id, { type: "attempt-failed", attempt: number, failure });
  }
}

async function tryOnce(
  session: Session,
  options: AttemptOptions,
  attempt: (session: Session) => Promise<Conclusion>,
): Promise<{ conclusion: Conclusion } | { failure: Failure }> {
  const { spec, said, signal } = session;
  const { retry = { maxRetries: 0, checks: [] } } = spec;
  try {
    const conclusion = await settleOnStop(attempt(session), signal, options.clock);
    said.text = conclusion.text;
    const failed = await runChecks(session, options, retry);
    return failed === undefined ? { conclusion } : { failure: failed };
  } catch (error) {
    if (isRegistryFailure(error)) throw error;
    const failure = stopOf(signal)?.failure ?? toFailure(error);
    if (finalCodes.has(failure.code)) throw error;
    return { failure };
  }
}
