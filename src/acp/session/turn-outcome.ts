import type { TurnOutcome } from "../editor/editor.ts";
import type { RunResult } from "../../host.ts";

/** Describes the end of a turn. A failure becomes an error, which the editor shows. */
export function describeEnd({
  status,
  failure,
}: Pick<RunResult, "status" | "failure">): TurnOutcome {
  if (status === "succeeded") return { reason: "end_turn" };
  if (status === "cancelled") return { reason: "cancelled" };
  const message = failure?.message ?? `The turn ${status}.`;
  if (failure?.code === "limit-exceeded" && /turns/.test(message)) {
    return { reason: "max_turn_requests", message };
  }
  return toErrorEnd(message, failure?.code ?? status);
}

/** Describes the end of a turn that failed. */
export function toErrorEnd(message: string, code: string): TurnOutcome {
  return { reason: "error", error: { code: -32603, message, data: { code } } };
}
