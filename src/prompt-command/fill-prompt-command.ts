import type { TaskCall } from "../run/delegation.ts";
import { splitWords } from "../source/shell/split-words.ts";
import { findImports } from "../tool/instruction-file/find-imports.ts";
import type { PromptCommand } from "./prompt-command.ts";
import { createReplacement, type Replacement } from "./replacement.ts";

/** A prompt with its arguments. */
export interface FilledPrompt {
  task: string;
  /** The commands of the prompt with their positions in the task, and the mentioned files. */
  taskCalls: TaskCall[];
}

/** A command in a prompt: an exclamation mark before a code span. */
const inline = /(?<=^|[\s"'(])!`([^`\n]+)`/gm;

/**
 * Fills a prompt with the argument. Only the prompt itself contains commands and files: the argument is text, except where a
 * command of the prompt uses it. `isFile` reports whether a mentioned path is a file.
 */
export function fillPromptCommand(
  command: PromptCommand,
  argument: string,
  isFile: (path: string) => boolean,
): FilledPrompt {
  const { template } = command;
  const words = splitWords(argument) ?? argument.split(/\s+/);
  const replacement = createReplacement(command, { argument, words });
  const { task, commands } = fillParts(template, replacement);
  const files = findImports(template).filter(({ path }) => isFile(path));
  return {
    task: replacement.isUsed() || argument === "" ? task : withArgument(task, command, argument),
    taskCalls: [...commands, ...files.map(({ path }) => ({ file: path }))],
  };
}

/** Fills the text and the commands of a prompt separately, so that no argument becomes a command. */
function fillParts(
  template: string,
  { replace }: Replacement,
): { task: string; commands: TaskCall[] } {
  const commands: TaskCall[] = [];
  let task = "";
  let position = 0;
  for (const match of template.matchAll(inline)) {
    task += replace(template.slice(position, match.index));
    const start = task.length;
    const filled = replace(match[1] ?? "");
    task += `!\`${filled}\``;
    commands.push({ command: filled, start, end: task.length });
    position = match.index + match[0].length;
  }
  return { task: task + replace(template.slice(position)), commands };
}

/** Appends the argument to a prompt without placeholders, as the prompt's own program does. */
function withArgument(task: string, { style }: PromptCommand, argument: string): string {
  return style === "opencode" ? `${task}\n\n${argument}` : `${task}\n\nARGUMENTS: ${argument}`;
}

/** Reports whether a prompt has commands. */
export function hasCommands({ template }: Pick<PromptCommand, "template">): boolean {
  return template.matchAll(inline).next().done !== true;
}
