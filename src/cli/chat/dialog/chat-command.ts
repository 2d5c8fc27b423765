import type { ChatConversation } from "./chat-conversation.ts";
import type { Cadre, PermissionMode } from "../../../host.ts";

/** The conversation and services of a command. */
export interface ChatCommandContext {
  cadre: Cadre;
  conversation: ChatConversation;
  note(text: string): void;
  /** Shows the conversation of a run, and continues it. */
  resume(run: string): Promise<void>;
  /** Begins a new conversation. */
  clear(): Promise<void>;
  /** Chooses the agent of the next turn. */
  setAgent(name: string): void;
  /** Chooses the model of the next turn. */
  setModel(reference: string): void;
  quit(): void;
  /** Opens Cadre again in another mode and continues the conversation. */
  changeMode(mode: PermissionMode): void;
  /** Trusts the project and opens Cadre again. */
  trust(): void;
}

/** A value of a command's argument. */
export interface ArgumentValue {
  value: string;
  description?: string;
}

/** A command that is typed as `/name argument`. */
export interface ChatCommand {
  name: string;
  summary: string;
  /** The name of the argument. */
  argument?: string;
  /** Lists the values of the argument. */
  complete?: () => Promise<readonly ArgumentValue[]>;
  run(context: ChatCommandContext, argument: string): Promise<void> | void;
}

/** The reply of a command that needs a turn. */
export const nothingYet = "The conversation has no turn yet.";
