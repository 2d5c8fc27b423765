import { createReplyText } from "./reply-text.ts";
import type { RunEventType } from "../../run/event.ts";
import type { Batches } from "./stream-run.ts";

/** The events that contain a text, or void an earlier one. */
export const textEvents: readonly RunEventType[] = [
  "run-created",
  "step-finished",
  "model-retried",
  "model-changed",
  "run-finished",
];

/**
 * Yields the texts of a run's agent. A blank line separates the texts of different replies. Texts that were read together form
 * one piece, because passing on each text would cost as much as reading it.
 */
export async function* streamText(batches: Batches): AsyncGenerator<string, void> {
  const replyText = createReplyText();
  for await (const { parts } of batches) {
    let text = "";
    for (const part of parts) {
      const { hasAny } = replyText;
      const piece = replyText.add(part);
      if (piece !== undefined) text += piece.isNew && hasAny ? `\n\n${piece.text}` : piece.text;
    }
    if (text !== "") yield text;
  }
}
