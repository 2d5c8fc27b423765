import type { Clock } from "../clock.ts";
import type { Failure } from "../run/failure.ts";
import type { TerminalStatus } from "../run/result.ts";

/** Why a run is being ended from outside: the reason its abort signal carries. */
export interface Stop extends Error {
  status: Exclude<TerminalStatus, "succeeded">;
  failure: Failure;
  /** Descendants that were detached live on. */
  keepDetached?: boolean;
}

/** Makes the reason to abort a run with. */
export function createStop(
  status: Stop["status"],
  failure: Failure,
  { keepDetached = false }: Pick<Stop, "keepDetached"> = {},
): Stop {
  // Libraries that are aborted look at the name.
  const given = { name: "AbortError", status, failure, keepDetached };
  return Object.assign(new Error(failure.message), given);
}

/** What a run is stopped with that has come to its end by itself; detached runs outlive that. */
export const runEnded: Stop = createStop(
  "cancelled",
  { code: "cancelled", message: "The run has ended." },
  { keepDetached: true },
);

/** Whether what `signal` was aborted with ends detached descendants too. */
export function endsDetached(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Partial<Stop>).keepDetached !== true;
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
