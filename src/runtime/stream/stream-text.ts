import { createSaidText } from "./said-text.ts";
import type { RunEventType } from "../../run/event.ts";
import type { Batches } from "./stream-run.ts";

/** The events that say something, or void what was said. */
export const textEvents: readonly RunEventType[] = [
  "run-created",
  "step-finished",
  "model-retried",
  "model-changed",
  "run-finished",
];

/**
 * Yields what the agent of a run says. Texts of different replies have a blank line between them. What was read together is one
 * piece, because handing on each text would cost as much as reading it.
 */
export async function* streamText(batches: Batches): AsyncGenerator<string, void> {
  const said = createSaidText();
  for await (const { parts } of batches) {
    let text = "";
    for (const part of parts) {
      const { hasAny } = said;
      const piece = said.add(part);
      if (piece !== undefined) text += piece.isNew && hasAny ? `\n\n${piece.text}` : piece.text;
    }
    if (text !== "") yield text;
  }
}
