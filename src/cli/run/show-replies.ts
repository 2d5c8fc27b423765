import type { Cadre } from "../../host.ts";
import type { Display } from "../view/display.ts";

/** Options of {@link showReplies}. */
export interface ShowRepliesOptions {
  display: Pick<Display, "activity">;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Shows what a run and its descendants say while they say it, whichever process executes them, where the display has a place for it.
 * Resolves when all of them have ended. A failure ends it: whoever reads the events reports it too.
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
