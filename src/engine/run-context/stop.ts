import type { Clock } from "../../clock.ts";
import type { Failure } from "../../run/failure.ts";
import type { TerminalStatus } from "../../run/result.ts";

/** The reason why a run is stopped from outside, carried by its abort signal. */
export interface Stop extends Error {
  status: Exclude<TerminalStatus, "succeeded">;
  failure: Failure;
  /** Detached descendants continue. */
  keepDetached?: boolean;
}

/** Creates the reason for aborting a run. */
export function createStop(
  status: Stop["status"],
  failure: Failure,
  { keepDetached = false }: Pick<Stop, "keepDetached"> = {},
): Stop {
  // Libraries check the name of an abort reason.
  const given = { name: "AbortError", status, failure, keepDetached };
  return Object.assign(new Error(failure.message), given);
}

/** The stop of a run that ended by itself. Detached runs outlive it. */
export const runEnded: Stop = createStop(
  "cancelled",
  { code: "cancelled", message: "The run has ended." },
  { keepDetached: true },
);

/** Reports whether the stop of `signal` also ends detached descendants. */
export function endsDetached(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Partial<Stop>).keepDetached !== true;
}

/** Returns the {@link Stop} that aborted `signal`, if any. */
export function stopOf(signal: AbortSignal): Stop | undefined {
  return signal.aborted ? (signal.reason as Stop) : undefined;
}

/** How long the work of a stopped run or attempt may take to end, in milliseconds. Then it is abandoned. */
const graceMs = 5000;

/** Waits for `work`, at most for a grace period after `signal` aborts. Work that ignores the signal is abandoned. */
export function settleOnStop<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  clock: Clock,
): Promise<Value> {
  let cancelGrace: (() => void) | undefined;
  return new Promise<Value>((resolve, reject) => {
    const onAbort = (): void => {
      cancelGrace = clock.schedule(graceMs, () => finish(() => reject(signal.reason as Error)));
    };
    const finish = (act: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      cancelGrace?.();
      act();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}
