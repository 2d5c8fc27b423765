// Prompts that people send as `/name`: finds, reads and fills their files.

import type { Diagnostic } from "../source/diagnostic.ts";

/** A file with a prompt that a user sends as `/name argument`. Plain JSON. */
export interface PromptCommand {
  /** The file's name; that of a file in a folder has the folder's before it, such as `team:review`. */
  name: string;
  description: string;
  /** What to write after the name. */
  argumentHint?: string;
  /** The names of the arguments, which `$name` stands for, in their order. */
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
  /** Findings in the file; a command with an error cannot be used. */
  diagnostics: readonly Diagnostic[];
}

/** The program whose placeholders a prompt has. Cadre's own files are written as Claude Code's. */
export type CommandStyle = "claude" | "opencode";
