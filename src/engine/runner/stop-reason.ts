import type { FailureCode } from "../../run/failure.ts";
import { RunFailed } from "../to-failure.ts";

const ends: Readonly<Record<string, readonly [FailureCode, string]>> = {
  max_tokens: ["model-error", "its answer was cut at the output limit"],
  max_turn_requests: ["limit-exceeded", "it came to the end of the turns it gives itself"],
  refusal: ["model-error", "it refused the task"],
  cancelled: ["model-error", "it says that it was told to stop, which nobody did"],
};

/** Makes sure that a runner ended its turn because it was done; throws RunFailed when not. */
export function requireDone(agent: string, stopReason: string): void {
  if (stopReason === "end_turn") return;
  const known = Object.hasOwn(ends, stopReason) ? ends[stopReason] : undefined;
  const [code, why] = known ?? ["model-error", `it ended with ${JSON.stringify(stopReason)}`];
  const message = `The runner of agent ${agent} did not finish: ${why}.`;
  throw new RunFailed({ code, message });
}
