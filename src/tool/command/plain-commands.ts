import type { Command, Redirection, Script, Statement, Word, WordPart } from "unbash";
import type { CommandWord } from "./find-risk.ts";
import { readScript, UnreadableCommand } from "./read-script.ts";

/** A command that does what its text says. */
export interface PlainCommand {
  /** As written. */
  text: string;
  /** Its program and its arguments. */
  words: readonly CommandWord[];
  /** The variables that are set for it. */
  variables: readonly string[];
}

/**
 * The simple commands of a line, if these are all that it runs and they touch no file by redirection; else `undefined`. So a line
 * has no substitution, no compound command, no document, nothing that could not be understood.
 */
export function plainCommands(line: string): readonly PlainCommand[] | undefined {
  // The shell and whoever reads a question may see different things.
  if (/[^\P{Cc}\n\t]|\\$/u.test(line)) return undefined;
  try {
    const script = readScript(line);
    if (script.errors !== undefined && script.errors.length > 0) return undefined;
    return readCommands(script, line);
  } catch (error) {
    if (error instanceof UnreadableCommand) return undefined;
    throw error;
  }
}

function readCommands(script: Script, line: string): PlainCommand[] | undefined {
  const commands = script.commands.flatMap(listCommands);
  const plain: PlainCommand[] = [];
  for (const command of commands) {
    const read = command && readCommand(command, line);
    if (read === undefined) return undefined;
    plain.push(read);
  }
  return plain.length === 0 ? undefined : plain;
}

/** The simple commands of a statement; `undefined` stands for any other. */
function listCommands(node: Statement | Statement["command"]): (Command | undefined)[] {
  if (node.type === "Command") return [node];
  if (node.type === "Statement") return listCommands(node.command);
  const isTimed = node.type === "Pipeline" && node.prefixes.length > 0;
  const isList = node.type === "AndOr" || node.type === "Pipeline";
  return isList && !isTimed ? node.commands.flatMap(listCommands) : [undefined];
}

function readCommand(command: Command, line: string): PlainCommand | undefined {
  const { name, prefix, args, redirects, pos, end } = command;
  if (name === undefined || !redirects.every(isHarmless)) return undefined;
  const variables: string[] = [];
  for (const one of prefix) {
    if (one.type !== "Assignment") continue;
    if (one.value.type !== "Word" || !isPlain(one.value)) return undefined;
    variables.push(one.name);
  }
  // Nobody can tell which program that is.
  if (isComputed(name)) return undefined;
  const words = [name, ...args];
  const values: CommandWord[] = [];
  for (const word of words) {
    if (word.type !== "Word" || !isPlain(word)) return undefined;
    values.push({ value: word.value, isOpen: isOpen(word) });
  }
  return { text: line.slice(pos, end), words: values, variables };
}

function isComputed({ parts = [] }: Word): boolean {
  return !parts.every(({ type }) => type === "Literal" || type === "SingleQuoted");
}

/** To and from nowhere, and the joining of the two outputs. */
function isHarmless(redirection: Redirection): boolean {
  if (redirection.type !== "Redirect" || redirection.target?.parts !== undefined) return false;
  const { operator, target, descriptor } = redirection;
  if (descriptor?.type === "FileDescriptorVariable") return false;
  if (operator === ">&") return /^[12]$/.test(target?.value ?? "");
  return [">", ">>", "<"].includes(operator) && target?.value === "/dev/null";
}

/** Whether a word is text, with variables that give nothing but text. */
function isPlain({ parts = [] }: Word): boolean {
  return parts.every(isPlainPart);
}

function isPlainPart(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.every(isPlainPart);
  return plainParts.has(part.type);
}

const plainParts: ReadonlySet<WordPart["type"]> = new Set([
  "Literal",
  "SingleQuoted",
  "Glob",
  "SimpleExpansion",
]);

/** What is not quoted may become several words; what stands first may begin with a hyphen. */
function isOpen({ parts = [] }: Word): boolean {
  if (parts.some(({ type }) => type === "SimpleExpansion")) return true;
  const inner = parts.flatMap((part): readonly WordPart[] =>
    part.type === "DoubleQuoted" ? part.parts : [part],
  );
  const first = inner.find((part) => !("value" in part) || part.value !== "");
  return first?.type === "Glob" || first?.type === "SimpleExpansion";
}
