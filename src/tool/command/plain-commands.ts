import type { Command, Redirection, Script, Statement, Word, WordPart } from "unbash";
import type { CommandWord } from "./find-risk.ts";
import { readScript, UnreadableCommand } from "./read-script.ts";

/** A command without substitutions: its text says what it does. */
export interface PlainCommand {
  /** The source text. */
  text: string;
  /** The program and its arguments. */
  words: readonly CommandWord[];
  /** The names of the variables set for this command. */
  variables: readonly string[];
}

/**
 * Returns the simple commands of a line when the line runs nothing else and redirects no file; otherwise `undefined`. So the line
 * has no substitution, no compound command, no here-document and no syntax error.
 */
export function plainCommands(line: string): readonly PlainCommand[] | undefined {
  // A user who is asked about the line may read it differently from the shell.
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

/** Returns the simple commands of a statement; `undefined` stands for any other command. */
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
  // The program is known only at run time.
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

/** Reports whether a redirection uses /dev/null only, or joins the two outputs. */
function isHarmless(redirection: Redirection): boolean {
  if (redirection.type !== "Redirect" || redirection.target?.parts !== undefined) return false;
  const { operator, target, descriptor } = redirection;
  if (descriptor?.type === "FileDescriptorVariable") return false;
  if (operator === ">&") return /^[12]$/.test(target?.value ?? "");
  return [">", ">>", "<"].includes(operator) && target?.value === "/dev/null";
}

/** Reports whether a word is text, with no other expansions than variables and file name patterns. */
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

/**
 * Reports whether expansion can change the word's role: an unquoted variable may become several words, and a leading one may
 * begin with a hyphen.
 */
function isOpen({ parts = [] }: Word): boolean {
  if (parts.some(({ type }) => type === "SimpleExpansion")) return true;
  const inner = parts.flatMap((part): readonly WordPart[] =>
    part.type === "DoubleQuoted" ? part.parts : [part],
  );
  const first = inner.find((part) => !("value" in part) || part.value !== "");
  return first?.type === "Glob" || first?.type === "SimpleExpansion";
}
