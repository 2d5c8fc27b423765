// The change of a run's model to a fallback, as an event and in words.

import type { RunEvent } from "../event.ts";
import type { Run, RunSpec } from "../run.ts";

/** The maximum number of fallbacks of a run. */
export const maxFallbacks = 10;

/** A change of the model of a run. */
export type ModelChange = Extract<RunEvent, { type: "model-changed" }>;

/** Says which model took over, and why. */
export function describeModelChange({
  from,
  to,
  reason,
}: Pick<ModelChange, "from" | "to" | "reason">): string {
  return `${from} failed (${reason}); continues with ${to}`;
}

/** Returns a warning for each change of the model in a journal. */
export function describeModelChanges(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "model-changed" ? [`${describeModelChange(event)}.`] : [],
  );
}

/** Returns the models of a run in the order in which they are asked. */
export function modelsOf({
  model,
  fallbacks = [],
  fallbackModel,
}: Pick<RunSpec, "model" | "fallbacks" | "fallbackModel">): string[] {
  const all = [model, ...fallbacks, fallbackModel];
  return [...new Set(all.filter((one) => one !== null))];
}

/**
 * Returns the model with which a run continues: the one in use, if it is a model of its spec. The journal is untrusted, and only
 * the models of the spec have been checked.
 */
export function modelInUse(
  spec: Pick<RunSpec, "model" | "fallbacks" | "fallbackModel">,
  run: Pick<Run, "model"> | undefined,
): string | null {
  const inUse = run?.model ?? null;
  return inUse !== null && modelsOf(spec).includes(inUse) ? inUse : spec.model;
}
