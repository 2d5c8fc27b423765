import { basename, extname, relative, sep } from "node:path";
import { type Diagnostic, hasError } from "../source/diagnostic.ts";
import type { ProjectFolders } from "../source/file/project-root.ts";
import { walkFolder } from "../source/file/walk-folder.ts";
import { type CommandFolder, commandFolders } from "./command-folder.ts";
import { isCommandName } from "./command-line.ts";
import type { PromptCommand } from "./prompt-command.ts";
import { readPromptCommand } from "./read-prompt-command.ts";

/** The commands of a project and its user. */
export interface PromptCommands {
  /** One command of each name, without errors. */
  commands: PromptCommand[];
  /** All findings, including those about unused files. */
  diagnostics: Diagnostic[];
}

/** Finds the command files of the project and the user. */
export async function discoverPromptCommands(project: ProjectFolders): Promise<PromptCommands> {
  const commands = new Map<string, PromptCommand>();
  const diagnostics: Diagnostic[] = [];
  for (const folder of commandFolders(project)) {
    const { path, root } = folder;
    const walk = { folder: path, root, isDeep: true, isWanted: isMarkdown };
    const { files, diagnostics: skipped } = await walkFolder(walk);
    diagnostics.push(...skipped);
    for (const file of files) {
      const name = nameOf(file, folder);
      if (!isCommandName(name)) {
        diagnostics.push(unusableName(file, name));
        continue;
      }
      const command = await readPromptCommand(file, name, folder);
      diagnostics.push(...command.diagnostics);
      const first = commands.get(name);
      if (first !== undefined) diagnostics.push(shadowed(command, first));
      else if (!hasError(command.diagnostics)) commands.set(name, command);
    }
  }
  return { commands: [...commands.values()], diagnostics };
}

/** A README explains its folder. */
function isMarkdown(name: string): boolean {
  return extname(name).toLowerCase() === ".md" && name.toLowerCase() !== "readme.md";
}

function nameOf(file: string, { path, style }: CommandFolder): string {
  const names = relative(path, file).split(sep);
  return [...names.slice(0, -1), basename(file, extname(file))].join(
    style === "opencode" ? "/" : ":",
  );
}

const first = { line: 1, column: 1 };

function unusableName(path: string, name: string): Diagnostic {
  const message = `Expected a name of letters, digits, \`-\`, \`_\` and \`.\` for a command; got ${JSON.stringify(name)}. It was left out.`;
  const fix = "Rename the file or its folder.";
  return { path, ...first, severity: "warning", code: "command-name", message, fix };
}

function shadowed({ path, name }: PromptCommand, { path: used }: PromptCommand): Diagnostic {
  const message = `The command /${name} is the one in ${used}, which takes precedence.`;
  const fix = "Rename one of the two files to use both.";
  return { path, ...first, severity: "info", code: "command-shadowed", message, fix };
}
