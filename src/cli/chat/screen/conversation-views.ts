import { type ChildView, showChild } from "./child-view.ts";
import { showEarlierTurns } from "./earlier-turns.ts";
import type { Theme } from "./theme.ts";
import { createTranscriptView, type TranscriptView } from "./transcript-view.ts";
import type { ChatWindow } from "./window.ts";
import { describeError } from "../../error/report-error.ts";
import type { Style } from "../../terminal/paint.ts";
import type { Cadre, RunHandle, RunOverview } from "../../../host.ts";

/** The conversation with the main agent, and the sub-agent's conversation that replaces it on request. */
export interface ConversationViews {
  /** Returns the conversation with the main agent. */
  main(): TranscriptView;
  /** Returns the sub-agent that is shown. */
  child(): ChildView | undefined;
  note(text: string, style?: Style): void;
  fail(error: unknown): void;
  /** Shows the conversation of a sub-agent. */
  open(cadre: Cadre, run: RunOverview): Promise<void>;
  /** Shows the conversation with the main agent again; `false` when it was already shown. */
  goBack(): boolean;
  /** Shows another conversation with its turns up to `run`; without a run, an empty one. */
  change(cadre: Cadre, run: RunHandle | undefined): Promise<void>;
  /** Opens or closes tool calls and thoughts. */
  toggle(): void;
}

/** Shows an empty conversation. */
export function createConversationViews(window: ChatWindow, theme: Theme): ConversationViews {
  let main = createTranscriptView(theme);
  let child: ChildView | undefined;
  window.show(main.component);

  function note(text: string, style?: Style): void {
    main.note(text, style);
    window.touch();
  }

  const fail = (error: unknown): void => note(describeError(error).message, "red");

  function goBack(): boolean {
    if (child === undefined) return false;
    child.close();
    child = undefined;
    window.show(main.component);
    return true;
  }

  return {
    main: () => main,
    child: () => child,
    note,
    fail,
    goBack,
    async open(cadre, run) {
      goBack();
      const handle = await cadre.find(run.id);
      child = showChild({ run, handle }, { window, theme }, fail);
    },
    async change(cadre, run) {
      goBack();
      main = createTranscriptView(theme);
      if (run !== undefined) await showEarlierTurns(cadre, { run }, main);
      window.show(main.component);
    },
    toggle() {
      (child ?? main).toggle();
      window.touch();
    },
  };
}
