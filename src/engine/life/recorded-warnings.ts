import { describeModelChanges } from "../../run/fallback/model-change.ts";
import type { RunEvent } from "../../run/event.ts";
import type { Run } from "../../run/run.ts";
import { describeInterrupted } from "../budget/describe-interrupted.ts";

/** The events that {@link readRecordedWarnings} reads. */
export const warningTypes = ["model-changed", "step-finished", "attempt-failed"] as const;

/** Returns the warnings for the result of a run about what earlier processes recorded in its journal. */
export function readRecordedWarnings(run: Run, events: readonly RunEvent[]): string[] {
  return [
    ...describeInterrupted(run),
    ...describeModelChanges(events),
    // The journal is untrusted.
    ...events.flatMap(warningsIn).filter((warning) => typeof warning === "string"),
  ];
}

function warningsIn(event: RunEvent): readonly unknown[] {
  if (event.type === "step-finished") return [event.warning];
  const warnings: unknown = event.type === "attempt-failed" ? event.warnings : undefined;
  return Array.isArray(warnings) ? warnings : [];
}
