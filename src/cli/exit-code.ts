import type { CadreErrorCode, TerminalStatus } from "../index.ts";

/** Wrong usage or input. */
export const usageExit = 2;

/** Ended by the user. */
export const cancelledExit = 130;

const exitOfStatus: Readonly<Record<TerminalStatus, number>> = {
  succeeded: 0,
  failed: 1,
  "timed-out": 124,
  cancelled: cancelledExit,
};

/** The exit code for how a run ended. */
export function exitCodeOf(status: TerminalStatus): number {
  return exitOfStatus[status];
}

/** The errors that no change of the command would have avoided. */
const environmentErrors: ReadonlySet<CadreErrorCode> = new Set<CadreErrorCode>([
  "registry-unavailable",
  "registry-newer",
  "lease-lost",
  "tool-failed",
  "model-error",
  "closed",
]);

/** The exit code for a refused call. */
export function exitCodeOfError(code: CadreErrorCode): number {
  return environmentErrors.has(code) ? 1 : usageExit;
}
