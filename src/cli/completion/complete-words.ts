// Completion of command lines in a shell.

import type { Argument, Command, Option } from "commander";
import { type Candidate, listValues, type Values } from "./list-values.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The possible completions of the last word. */
export interface Completion {
  candidates: readonly Candidate[];
  /** The kind of paths that the shell adds. */
  paths: Values["paths"];
}

/** The command that the words before the last one name. */
interface Call {
  command: Command;
  /** The words that are neither subcommands nor options. */
  positional: string[];
  given: ReadonlySet<string>;
  /** The option whose value is missing. */
  open?: Option;
  /** Whether `--` has been given: everything after it is positional. */
  isPlain: boolean;
}

/**
 * Completes the last of the words after `cadre`. The words before it may be incomplete or wrong. `program` defines the commands that
 * they name.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
): Promise<Completion> {
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? "";
  const call = readCall(program, before);
  const { candidates, paths } = await listCandidates(call, word);
  return { candidates: candidates.filter(({ value }) => value.startsWith(word)), paths };
}

function readCall(program: Command, words: readonly string[]): Call {
  let command = program;
  const positional: string[] = [];
  const given = new Set<string>();
  let open: Option | undefined;
  let isPlain = false;
  for (const word of words) {
    if (open !== undefined) {
      open = undefined;
    } else if (isPlain || !word.startsWith("-")) {
      const child = isPlain || positional.length > 0 ? undefined : findCommand(command, word);
      if (child === undefined) positional.push(word);
      else command = child;
    } else if (word === "--") {
      isPlain = true;
    } else {
      const [name = ""] = word.split("=", 1);
      const option = findOption(command, name);
      given.add(option?.long ?? name);
      if (option?.required === true && !word.includes("=")) open = option;
    }
  }
  return { command, positional, given, isPlain, ...omitUndefined({ open }) };
}

async function listCandidates(call: Call, word: string): Promise<Values> {
  const { command, open, isPlain } = call;
  if (open !== undefined) return await listValues(open);
  if (isPlain || !word.startsWith("-")) return await listPositional(call);
  const [name = "", value] = word.split("=", 2);
  const option = value === undefined ? undefined : findOption(command, name);
  if (option === undefined) return { candidates: listOptions(call), paths: "none" };
  const { candidates } = await listValues(option);
  const prefixed = candidates.map(({ value: known, description }) => ({
    value: `${name}=${known}`,
    description,
  }));
  return { candidates: prefixed, paths: "none" };
}

async function listPositional({ command, positional, isPlain }: Call): Promise<Values> {
  const isFirst = positional.length === 0 && !isPlain;
  const commands = isFirst ? visible(command).map(toCandidate) : [];
  const expected = findArgument(command, positional.length);
  const values = expected === undefined ? undefined : await listValues(expected, positional.length);
  return {
    candidates: [...commands, ...(values?.candidates ?? [])],
    paths: values?.paths ?? "none",
  };
}

/** Returns the argument at a position. The last argument may take all further words. */
function findArgument({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** Returns the options that are not given yet, by their long names. */
function listOptions({ command, given }: Call): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== undefined && long !== null && !given.has(long))
    .map(({ long, description }) => ({ value: long ?? "", description }));
}

function findOption(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => name === long || name === short);
}

function findCommand(command: Command, name: string): Command | undefined {
  return visible(command).find((child) => child.name() === name);
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function toCandidate(command: Command): Candidate {
  return { value: command.name(), description: command.description() };
}
