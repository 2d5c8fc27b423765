// An editor, whatever version of the protocol it speaks.

import type { CallView, CallContent } from "./call-view.ts";
import type { Choice } from "./choice.ts";
import type { ElicitAnswer } from "../../host.ts";

/** What an editor can do. */
export interface EditorAbilities {
  /** Shows forms for questions. */
  elicitsForms: boolean;
  /** Reads files as it shows them. */
  readsFiles: boolean;
}

/** An editor that is connected. */
export interface Editor {
  abilities(): EditorAbilities;
  /** Shows an update of a session. An editor that has disconnected shows nothing. */
  show(sessionId: string, update: Update): void;
  /** Lets the user choose an option, and returns its id; `undefined` when the turn was cancelled meanwhile. */
  choose(
    sessionId: string,
    question: EditorQuestion,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Shows a form, and returns the answer. Only where the editor shows forms. */
  fillForm(sessionId: string, form: EditorForm, signal?: AbortSignal): Promise<ElicitAnswer>;
  /** Returns the text of a file as the editor shows it. Only where the editor reads files. */
  readText(sessionId: string, path: string, signal: AbortSignal): Promise<unknown>;
}

/** A question about a call. */
export interface EditorQuestion {
  call: CallView;
  /** Who asks, and why. */
  reason: string;
  options: readonly {
    id: string;
    name: string;
    kind: "allow_once" | "allow_always" | "reject_once";
  }[];
}

/** Fields that the user is to fill. */
export interface EditorForm {
  message: string;
  /** A JSON Schema: an object of texts, numbers, yes/no, and choices. */
  schema: object;
  /** The call that asks. */
  callId?: string | undefined;
}

/** Something new of a session. */
export type Update = ConversationUpdate | CallUpdate;

/** Something new of a conversation. */
export type ConversationUpdate =
  /** A message of the user; `blocks` is what the editor sent, absent in a replay. */
  | { type: "prompt"; messageId: string; text: string; blocks?: readonly object[] }
  /** A piece of what the agent says or thinks. Pieces of one message have the same id. */
  | { type: "said" | "thought"; messageId: string; text: string }
  /** Messages that are void, because their request failed and is repeated. `text` says why. */
  | { type: "discarded"; messageIds: readonly string[]; text: string }
  | { type: "notice"; text: string }
  | { type: "plan"; entries: readonly PlanItem[] }
  | { type: "commands"; commands: readonly Command[] }
  | { type: "choices"; choices: readonly Choice[] }
  | { type: "title"; title: string; updatedAt: string }
  | { type: "usage"; used: number; size: number; cost: number | null }
  /** Whether the agent works, or waits for an answer of the user. */
  | { type: "state"; state: "running" | "blocked" }
  /** A turn has ended, or the session was opened and nothing runs. */
  | { type: "state"; state: "idle"; end?: TurnOutcome };

/** Something new of a call. */
export type CallUpdate =
  | { type: "call"; call: CallView }
  /** What a call shows has changed. Absent fields stay. */
  | { type: "call-changed"; callId: string; content?: readonly CallContent[]; canCancel?: boolean }
  /** A piece of the output of a command. */
  | { type: "output"; callId: string; text: string }
  | ({ type: "call-ended"; callId: string; isError: boolean } & CallEnd)
  /** A call was stopped before it had a result. */
  | { type: "call-stopped"; callId: string };

const ofCalls: Readonly<Record<CallUpdate["type"], true>> = {
  call: true,
  "call-changed": true,
  output: true,
  "call-ended": true,
  "call-stopped": true,
};

/** Tells the updates of calls from those of the conversation. */
export function isCallUpdate(update: Update): update is CallUpdate {
  return update.type in ofCalls;
}

/** What a call shows at its end. */
export interface CallEnd {
  content: readonly CallContent[];
  /** The result of a command. */
  command?: { text: string; end: ExitStatus; isCancelled: boolean };
}

/** How a command ended. */
export interface ExitStatus {
  exitCode: number | null;
  signal: string | null;
}

/** One entry of the agent's list. */
export interface PlanItem {
  content: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
}

/** A command that a prompt may begin with, after a slash. */
export interface Command {
  name: string;
  description: string;
  /** What stands behind it; absent: nothing. */
  hint?: string;
}

/** How a turn ended. */
export type TurnOutcome =
  | { reason: "end_turn" | "cancelled" }
  /** The turn used up its requests. */
  | { reason: "max_turn_requests"; message: string }
  | { reason: "error"; error: { code: number; message: string; data: { code: string } } };
