import type { FailureCode } from "../../run/failure.ts";
import { RunFailed } from "../to-failure.ts";

const ends: Readonly<Record<string, readonly [FailureCode, string]>> = {
  max_tokens: ["model-error", "its answer was cut at the output limit"],
  max_turn_requests: ["limit-exceeded", "it came to the end of the turns it gives itself"],
  refusal: ["model-error", "it refused the task"],
  cancelled: ["model-error", "it says that it was told to stop, which nobody did"],
};

/** How a turn of a runner ended. */
export interface TurnEnd {
  stopReason: string;
  /** The last call that it was not allowed to go on with, and why. */
  refused?: string;
  /** It says that it is done, but also that it had this error. */
  error?: string;
}

/** Makes sure that a runner ended its turn because it was done; throws RunFailed when not. */
export function requireDone(agent: string, end: TurnEnd): void {
  if (end.stopReason === "end_turn" && end.error === undefined) return;
  const [code, why] = describeEnd(end);
  const message = `The runner of agent ${agent} did not finish: ${why}.`;
  throw new RunFailed({ code, message });
}

function describeEnd({ stopReason, refused, error }: TurnEnd): readonly [FailureCode, string] {
  if (error !== undefined) return ["model-error", `it had an error: ${error}`];
  if (stopReason === "cancelled" && refused !== undefined) {
    return ["permission-denied", `it stopped when it was not allowed to go on with ${refused}`];
  }
  const known = Object.hasOwn(ends, stopReason) ? ends[stopReason] : undefined;
  return known ?? ["model-error", `it ended with ${JSON.stringify(stopReason)}`];
}
