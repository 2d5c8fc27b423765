// Prompts that people send as `/name`: finds, reads and fills their files.

import type { Diagnostic } from "../source/diagnostic.ts";

/** A file with a prompt that a user sends as `/name argument`. Plain JSON. */
export interface PromptCommand {
  /** The name of the file. A file in a folder has the folder's name as a prefix, as in `team:review`. */
  name: string;
  description: string;
  /** A hint for the text after the name. */
  argumentHint?: string;
  /** The names of the arguments, in order. `$name` stands for an argument. */
  argumentNames: readonly string[];
  /** The agent that answers. Absent = the agent of the conversation. */
  agent?: string;
  /** `provider:model` or an alias. Absent = the model of the conversation. */
  model?: string;
  /** The prompt, with placeholders for the arguments. */
  template: string;
  style: CommandStyle;
  scope: "project" | "user";
  /** Absolute. */
  path: string;
  /** Findings in the file. A command with an error cannot be used. */
  diagnostics: readonly Diagnostic[];
}

/** The program whose placeholders a prompt uses. Cadre's own files use Claude Code's. */
export type CommandStyle = "claude" | "opencode";
