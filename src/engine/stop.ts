import type { Clock } from "../clock.ts";
import type { Failure } from "../run/failure.ts";
import type { TerminalStatus } from "../run/result.ts";

/** Why a run is being ended from outside: the reason its abort signal carries. */
export interface Stop extends Error {
  status: Exclude<TerminalStatus, "succeeded">;
  failure: Failure;
}

/** Makes the reason to abort a run with. */
export function createStop(status: Stop["status"], failure: Failure): Stop {
  // Libraries that are aborted look at the name.
  return Object.assign(new Error(failure.message), { name: "AbortError", status, failure });
}

/** The {@link Stop} that `signal` was aborted with, if it was. */
export function stopOf(signal: AbortSignal): Stop | undefined {
  return signal.aborted ? (signal.reason as Stop) : undefined;
}

/** How long what a stopped run or attempt was doing may take to end, in milliseconds; then that goes on without it. */
const graceMs = 5000;

/** Waits for `work`, but not much longer than until `signal` aborts: what ignores the signal is left behind. */
export async function settleOnStop<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  clock: Clock,
): Promise<Value> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  let cancelGrace = (): void => undefined;
  const onAbort = (): void => {
    cancelGrace = clock.schedule(graceMs, () => reject(signal.reason as Error));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    cancelGrace();
  }
}
