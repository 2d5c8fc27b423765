import type { Diagnostic } from "../source/diagnostic.ts";
import type { ContinueOptions } from "./spawn-options.ts";

/** A command of the project or its user, which a person types in a conversation as `/name argument`. Plain JSON. */
export interface ProjectCommand {
  /** What to type after the slash. */
  name: string;
  description: string;
  /** What to type after the name, such as `target=… [focus=…]`. */
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

/** What a command asks for: the fields of `spawn` or `continue` that replace those of the conversation, for one turn. */
export type FilledCommand = Pick<
  ContinueOptions,
  "task" | "taskCalls" | "agent" | "model" | "parameters"
> & {
  /** What the user should know, such as an agent of the command that does not exist. */
  notes: string[];
};

/** Options of {@link ProjectCommands.list}. */
export interface CommandListOptions {
  /** The names that the caller has itself. A command of such a name is listed as `recipe:NAME` or `prompt:NAME`. */
  taken?: readonly string[];
}

/** The commands of a project and its user: recipes, and prompts in `.cadre/commands`, `.claude/commands` and `.opencode/commands`. */
export interface ProjectCommands {
  /** Lists the commands. Prompts are read again each time. A prompt takes precedence over a recipe of the same name. */
  list(options?: CommandListOptions): Promise<ProjectCommandList>;
  /**
   * Fills a command, also by `recipe:NAME` or `prompt:NAME`; `undefined` when there is none of that name.
   *
   * @throws CadreError `invalid-argument` that lists what is missing or wrong; `not-trusted` for a prompt of a project that is not
   * trusted, when it has commands.
   */
  fill(name: string, argument?: string): Promise<FilledCommand | undefined>;
}
