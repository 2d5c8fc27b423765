// The editor behind a connection, independent of its version of the protocol.

import type { CallView, CallContent } from "./call-view.ts";
import type { Choice } from "./choice.ts";
import type { ElicitAnswer } from "../../host.ts";

/** The abilities of an editor. */
export interface EditorAbilities {
  /** Shows forms for questions. */
  elicitsForms: boolean;
  /** Reads files with their unsaved changes. */
  readsFiles: boolean;
}

/** A connected editor. */
export interface Editor {
  abilities(): EditorAbilities;
  /** Shows an update of a session. Does nothing after the editor has disconnected. */
  show(sessionId: string, update: Update): void;
  /** Lets the user choose an option and returns its id; `undefined` when the turn was cancelled. */
  choose(
    sessionId: string,
    question: EditorQuestion,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Shows a form and returns the answer. Only for editors that show forms. */
  fillForm(sessionId: string, form: EditorForm, signal?: AbortSignal): Promise<ElicitAnswer>;
  /** Returns the text of a file as the editor shows it. Only for editors that read files. */
  readText(sessionId: string, path: string, signal: AbortSignal): Promise<unknown>;
}

/** A question about a call. */
export interface EditorQuestion {
  call: CallView;
  /** Who asks and why. */
  reason: string;
  options: readonly {
    id: string;
    name: string;
    kind: "allow_once" | "allow_always" | "reject_once";
  }[];
}

/** The fields of a form. */
export interface EditorForm {
  message: string;
  /** A JSON Schema: an object with texts, numbers, booleans and choices. */
  schema: object;
  /** The call that asks. */
  callId?: string | undefined;
}

/** An update of a session. */
export type Update = ConversationUpdate | CallUpdate;

/** An update of a conversation. */
export type ConversationUpdate =
  /** A message of the user. `blocks` is the editor's original content; absent in a replay. */
  | { type: "prompt"; messageId: string; text: string; blocks?: readonly object[] }
  /** A piece of the agent's text or thought. Pieces of one message have the same id. */
  | { type: "text" | "thought"; messageId: string; text: string }
  /** Messages that are void, because their request failed and is repeated. `text` gives the reason. */
  | { type: "discarded"; messageIds: readonly string[]; text: string }
  | { type: "notice"; text: string }
  | { type: "plan"; entries: readonly PlanItem[] }
  | { type: "commands"; commands: readonly Command[] }
  | { type: "choices"; choices: readonly Choice[] }
  | { type: "title"; title: string; updatedAt: string }
  | { type: "usage"; used: number; size: number; cost: number | null }
  /** Whether the agent works or waits for an answer of the user. */
  | { type: "state"; state: "running" | "blocked" }
  /** A turn has ended, or the session was opened and no turn is in progress. */
  | { type: "state"; state: "idle"; end?: TurnOutcome };

/** An update of a call. */
export type CallUpdate =
  | { type: "call"; call: CallView }
  /** The view of a call has changed. Absent fields are unchanged. */
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

/** Distinguishes the updates of calls from those of the conversation. */
export function isCallUpdate(update: Update): update is CallUpdate {
  return update.type in ofCalls;
}

/** The view of a call at its end. */
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

/** An entry of the agent's todo list. */
export interface PlanItem {
  content: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
}

/** A command that may begin a prompt, after a slash. */
export interface Command {
  name: string;
  description: string;
  /** Describes the text after the command; absent when the command takes none. */
  hint?: string;
}

/** The end of a turn. */
export type TurnOutcome =
  | { reason: "end_turn" | "cancelled" }
  /** The turn used up its requests. */
  | { reason: "max_turn_requests"; message: string }
  | { reason: "error"; error: { code: number; message: string; data: { code: string } } };
