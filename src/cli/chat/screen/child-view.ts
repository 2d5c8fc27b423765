import { createTranscriptView } from "./transcript-view.ts";
import type { Theme } from "./theme.ts";
import type { ChatWindow } from "./window.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { shortRunId } from "../../../short-run-id.ts";
import type { RunHandle, RunOverview } from "../../../host.ts";

/** The conversation of a sub-agent on the screen. */
export interface ChildView {
  /** Sends a message to the agent. */
  send(text: string): Promise<void>;
  toggle(): void;
  close(): void;
}

/** Shows the conversation of `run`, live, in place of the previous one. `onFailure` receives the error that ends it early. */
export function showChild(
  { run, handle }: { run: RunOverview; handle: RunHandle },
  { window, theme }: { window: ChatWindow; theme: Theme },
  onFailure: (error: unknown) => void,
): ChildView {
  const transcript = createTranscriptView(theme);
  const closing = new AbortController();
  transcript.note(
    `${cleanLine(run.agent)} (${shortRunId(run.id)}): ${cleanLine(run.task)}`,
    "bold",
  );
  transcript.note("What you type goes to this agent. Esc returns to the main conversation.");

  async function follow(): Promise<void> {
    for await (const part of handle.stream({ signal: closing.signal })) {
      if (part.runId !== run.id) continue;
      transcript.take(part);
      if (part.type === "run-finished") transcript.note(`${part.result.status}.`);
      window.touch();
    }
  }
  follow().catch((error: unknown) => {
    if (!closing.signal.aborted) onFailure(error);
  });
  window.show(transcript.component);
  return {
    async send(text) {
      const id = await handle.send(text);
      if (id === undefined) {
        const fork = `cadre fork ${shortRunId(run.id)} --task TEXT`;
        transcript.note(
          `The run has ended and reads no messages. The main agent can continue it; ${fork} creates a conversation from it.`,
        );
        window.editor.setText(text);
      } else transcript.note(`sent: ${text}`);
      window.touch();
    },
    toggle: transcript.toggle,
    close: () => closing.abort(),
  };
}
