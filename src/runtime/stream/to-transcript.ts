import type { RunEvent } from "../../run/event.ts";
import { createRunProjection } from "./project-run.ts";
import type { RunStreamPart } from "./stream-part.ts";

/** Converts the journal of a run, from its first event, to the parts of its stream. */
export function toTranscript(runId: string, events: readonly RunEvent[]): RunStreamPart[] {
  const projection = createRunProjection();
  return events.flatMap((event) => projection.event(event).map((part) => ({ runId, ...part })));
}
