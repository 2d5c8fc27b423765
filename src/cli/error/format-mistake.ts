/** Mistakes in command lines, as the parser reports them. */

import type { Command } from "commander";
import { quoteArgument } from "../arguments/quote-task.ts";

/** Adds the description of a missing argument. */
export function nameExpected(command: Command, mistake: string): string {
  return mistake.replace(/^cadre: Missing required argument '(\S+)'$/m, (found, name) => {
    const every = [command, ...command.commands].flatMap((one) => one.registeredArguments);
    const missing = every.find((argument) => argument.name() === name);
    const choices = missing?.argChoices?.join(", ") ?? "";
    const what = [missing?.description ?? "", choices].filter((part) => part !== "").join(": ");
    return what === "" ? found : `${found}: expected ${what}`;
  });
}

/** What users of other programs type, with the command for it. */
export const otherNames: Readonly<Record<string, string>> = {
  continue: "run --continue",
  kill: "cancel",
  list: "runs",
  ls: "runs",
  message: "send",
  ps: "runs",
  start: "run",
  status: "runs",
  steer: "send",
  stop: "cancel",
  watch: "tree --watch",
};

/** Formats a parser error like the command's other errors. */
export function formatMistake(text: string, others: Readonly<Record<string, string>> = {}): string {
  const mistake = text.replace(/^error: (.)/, (_, first) => `cadre: ${first.toUpperCase()}`);
  const [, name = ""] = /^cadre: Unknown command '(.+)'/.exec(mistake) ?? [];
  const other = Object.hasOwn(others, name) ? others[name] : undefined;
  // Commander writes its suggestion on a line of its own, in parentheses.
  return mistake.replace(/'(?:\n\(Did you mean (one of )?(.+)\?\))?$/m, (_, some, names) => {
    const found = other === undefined ? names : `cadre ${other}`;
    return found === undefined ? "'" : `'. Did you mean ${suggest(some, found)}?`;
  });
}

/** Quotes the names that commander suggests. */
function suggest(some: string = "", names: string): string {
  const quoted = names.split(", ").map((name) => `\`${name}\``);
  return some + quoted.join(", ");
}

/** Names the command for an argument that another command does not take: `all` for the word `list`, otherwise `one`. */
export function pointTo(
  { all, one }: { all: string | undefined; one: string | undefined },
  text: string,
): string {
  const given = /^error: (?:too many arguments .* got 1: (.+)\.|unknown command '(.+)')$/s.exec(
    text.trim(),
  );
  const argument = given?.[1] ?? given?.[2];
  if (argument === undefined) return "";
  if (argument === "list" || argument === "ls") {
    return all === undefined ? "" : `\`cadre ${all}\` lists them.\n`;
  }
  return one === undefined ? "" : `Did you mean \`cadre ${one} ${quoteArgument(argument)}\`?\n`;
}
