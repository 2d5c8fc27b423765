import type { Cadre } from "../../host.ts";
import type { Display } from "../view/display.ts";

/** Options of {@link showReplies}. */
export interface ShowRepliesOptions {
  display: Pick<Display, "activity">;
  /** Stops showing replies. */
  signal: AbortSignal;
}

/**
 * Shows the replies of a run and its descendants as they arrive, whichever process executes them, if the display can show them.
 * Resolves when all runs have ended. A failure ends it silently: the reader of the events reports the same failure.
 */
export async function showReplies(
  cadre: Pick<Cadre, "find">,
  id: string,
  { display, signal }: ShowRepliesOptions,
): Promise<void> {
  if (display.activity === undefined) return;
  try {
    const run = await cadre.find(id);
    for await (const part of run.stream({ descendants: true, signal })) {
      const { runId, type } = part;
      display.activity(type === "text" ? part : { runId, type: "progress", text: "" });
    }
  } catch {
    // The user left, or the registry failed.
  }
}
