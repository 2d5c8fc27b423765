import type { RunEvent } from "../run/event.ts";
import type { Run } from "../run/run.ts";
import { applyEvent } from "../run/transition.ts";
import { DamagedContent } from "./damaged-content.ts";
import { errorMessage } from "../error-message.ts";

/**
 * Applies the events that are newer than a stored run.
 *
 * @throws DamagedContent for an event that the state machine refuses, because Cadre never writes one.
 */
export function replay(run: Run, events: readonly RunEvent[]): Run {
  try {
    return events.reduce(applyEvent, run);
  } catch (error) {
    throw new DamagedContent(errorMessage(error));
  }
}
