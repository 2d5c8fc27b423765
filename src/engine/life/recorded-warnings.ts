import { describeModelChanges } from "../../run/fallback/model-change.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import { describeInterrupted } from "../budget/describe-interrupted.ts";

/** The events that {@link readRecordedWarnings} reads. */
export const warningTypes = ["model-changed", "step-finished"] as const;

/** Returns the warnings for the result of a run about what earlier processes recorded in its journal. */
export function readRecordedWarnings(run: Run, events: readonly RunEvent[]): string[] {
  return [
    ...describeInterrupted(run),
    ...describeModelChanges(events),
    ...events.flatMap((event) => {
      const warning: unknown = event.type === "step-finished" ? event.warning : undefined;
      // The journal is untrusted.
      return typeof warning === "string" ? [warning] : [];
    }),
  ];
}
