import { createSaidText } from "./said-text.ts";
import type { Batches } from "./stream-run.ts";

/** Yields what the agent of a run says. Texts of different replies have a blank line between them. */
export async function* streamText(batches: Batches): AsyncGenerator<string, void> {
  const said = createSaidText();
  for await (const { parts } of batches) {
    for (const part of parts) {
      const { hasAny } = said;
      const piece = said.add(part);
      if (piece !== undefined) yield piece.isNew && hasAny ? `\n\n${piece.text}` : piece.text;
    }
  }
}
