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
