import type { Diagnostic } from "../source/diagnostic.ts";
import type { ContinueOptions } from "./spawn-options.ts";

/** A command of the project or its user, typed in a conversation as `/name argument`. Plain JSON. */
export interface ProjectCommand {
  /** The text after the slash. */
  name: string;
  description: string;
  /** A hint for the text after the name, such as `target=… [focus=…]`. */
  argumentHint?: string;
  /** A recipe, or the file of a prompt. */
  kind: "recipe" | "prompt";
  /** The file, absolute. */
  path: string;
}

/** The commands, and the problems of their files. */
export interface ProjectCommandList {
  commands: ProjectCommand[];
  diagnostics: Diagnostic[];
}

/** The request of a command: the fields of `spawn` or `continue` that replace those of the conversation, for one turn. */
export type FilledCommand = Pick<
  ContinueOptions,
  "task" | "taskCalls" | "agent" | "model" | "parameters"
> & {
  /** Notes for the user, such as a missing agent of the command. */
  notes: string[];
};

/** Options of {@link ProjectCommands.list}. */
export interface CommandListOptions {
  /** Names that the caller uses itself. A command with such a name is listed as `recipe:NAME` or `prompt:NAME`. */
  taken?: readonly string[];
}

/** The commands of a project and its user: recipes, and prompts in `.cadre/commands`, `.claude/commands` and `.opencode/commands`. */
export interface ProjectCommands {
  /** Lists the commands. Prompts are read again each time. A prompt takes precedence over a recipe with the same name. */
  list(options?: CommandListOptions): Promise<ProjectCommandList>;
  /**
   * Fills a command, which may be named as `recipe:NAME` or `prompt:NAME`; `undefined` when there is none with this name.
   *
   * @throws CadreError `invalid-argument` that lists what is missing or wrong; `not-trusted` for a prompt with commands in an
   * untrusted project.
   */
  fill(name: string, argument?: string): Promise<FilledCommand | undefined>;
}
