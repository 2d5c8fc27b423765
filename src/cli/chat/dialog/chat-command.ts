import type { ChatConversation } from "./chat-conversation.ts";
import type { Cadre, PermissionMode } from "../../../host.ts";

/** The conversation and services of a command. */
export interface CommandPlace {
  cadre: Cadre;
  conversation: ChatConversation;
  note(text: string): void;
  /** Shows the conversation of a run, and continues it. */
  resume(run: string): Promise<void>;
  /** Begins a new conversation. */
  clear(): Promise<void>;
  /** Chooses the agent of the next turn. */
  setAgent(name: string): void;
  quit(): void;
  /** Opens Cadre again with another mode, and continues the conversation. */
  changeMode(mode: PermissionMode): void;
  /** Trusts the project, and opens Cadre again. */
  trust(): void;
}

/** A command that is typed as `/name argument`. */
export interface ChatCommand {
  name: string;
  summary: string;
  /** Names the argument. */
  argument?: string;
  /** Lists the values of the argument. */
  complete?: () => Promise<readonly string[]>;
  run(place: CommandPlace, argument: string): Promise<void> | void;
}

/** The answer of a command that needs a turn. */
export const nothingYet = "The conversation has no turn yet.";
