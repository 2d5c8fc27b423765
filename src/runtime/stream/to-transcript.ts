import type { RunEvent } from "../../run/event.ts";
import { createRunProjection } from "./project-run.ts";
import type { RunStreamPart } from "./stream-part.ts";

/** Converts the journal of a run, from its first event, to the parts of its stream. */
export function toTranscript(runId: string, events: readonly RunEvent[]): RunStreamPart[] {
  const projection = createRunProjection();
  const parts = events.flatMap((event) => projection.event(event));
  return parts.map((part): RunStreamPart => Object.assign({ runId }, part));
}
