import type { FailureCode } from "../../run/failure.ts";
import { RunFailed } from "../run-failed.ts";

const ends: Readonly<Record<string, readonly [FailureCode, string]>> = {
  max_tokens: ["model-error", "its answer was cut at the output limit"],
  max_turn_requests: ["limit-exceeded", "it reached its own limit of turns"],
  refusal: ["model-error", "it refused the task"],
  cancelled: ["model-error", "it reports a cancellation that was not requested"],
};

/** The end of a runner's turn. */
export interface TurnEnd {
  stopReason: string;
  /** The last refused call, and the reason. */
  refused?: string;
  /** An error that the runner reported although it finished its turn. */
  error?: string;
}

/** Requires that a runner ended its turn with its work done. @throws RunFailed otherwise. */
export function requireDone(agent: string, end: TurnEnd): void {
  if (end.stopReason === "end_turn" && end.error === undefined) return;
  const [code, why] = describeEnd(end);
  const message = `The runner of agent ${agent} did not finish: ${why}.`;
  throw new RunFailed({ code, message });
}

function describeEnd({ stopReason, refused, error }: TurnEnd): readonly [FailureCode, string] {
  if (error !== undefined) return ["model-error", `it had an error: ${error}`];
  if (stopReason === "cancelled" && refused !== undefined) {
    return ["permission-denied", `it stopped when it was not allowed to continue with ${refused}`];
  }
  const known = Object.hasOwn(ends, stopReason) ? ends[stopReason] : undefined;
  return known ?? ["model-error", `it ended with ${JSON.stringify(stopReason)}`];
}
