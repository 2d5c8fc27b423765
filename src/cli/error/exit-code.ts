import type { CadreErrorCode, TerminalStatus } from "../../host.ts";

/** Wrong usage or input. */
export const usageExit = 2;

/** Cancelled by the user. */
export const cancelledExit = 130;

const exitOfStatus: Readonly<Record<TerminalStatus, number>> = {
  succeeded: 0,
  failed: 1,
  "timed-out": 124,
  cancelled: cancelledExit,
};

/** Returns the exit code for the result of a run. */
export function exitCodeOf(status: TerminalStatus): number {
  return exitOfStatus[status];
}

/** Errors in the environment, which no other command line would avoid. */
const environmentErrors: ReadonlySet<CadreErrorCode> = new Set<CadreErrorCode>([
  "registry-unavailable",
  "registry-newer",
  "lease-lost",
  "tool-failed",
  "model-error",
  "closed",
]);

/** Returns the exit code for a refused call. */
export function exitCodeOfError(code: CadreErrorCode): number {
  return environmentErrors.has(code) ? 1 : usageExit;
}
