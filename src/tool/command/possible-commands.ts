import type { Command, SyntaxNode, Word } from "unbash";
import { findRisk } from "./find-risk.ts";
import { isInterpreter, riskOf } from "./known-programs.ts";
import { expandWord, type CommandField, type ShellVariables } from "./expand-word.ts";
import { readScript, UnreadableCommand, walkScript } from "./read-script.ts";

/** A command that a command line might run. */
export interface PossibleCommand {
  /** The source text; absent for a command found inside a string. */
  source?: string;
  fields: readonly CommandField[];
  /** The program treats the other fields as data. Otherwise a command may begin at each field. */
  isData: boolean;
}

/** The maximum number of possible program names. Only variables lead to more than one. */
const maxNames = 16;
/** The maximum length of a variable's value: assignments that repeat a variable would double it each time. */
const maxValueLength = 1000;
/** The limits of nested code, in characters: per character of the line, and the minimum. */
const [nestedPerCharacter, nestedAtLeast] = [4, 4000];

/**
 * Returns every command that `line` might run, for deny and ask rules: commands in every shell construct, data given to programs
 * that may execute it, and code in strings. False positives are acceptable. Commands that a program computes are not found.
 *
 * @throws UnreadableCommand when the line exceeds the limits.
 */
export function possibleCommands(line: string): readonly PossibleCommand[] {
  const search: Search = {
    found: [],
    seen: new Set(),
    pieces: new Set(),
    left: nestedPerCharacter * line.length + nestedAtLeast,
  };
  searchCode(line, search);
  return search.found;
}

interface Search {
  found: PossibleCommand[];
  /** The texts already searched, and the pieces found in them. */
  seen: Set<string>;
  pieces: Set<string>;
  /** The number of characters that may still be read. */
  left: number;
}

function searchCode(code: string, search: Search): void {
  if (search.seen.has(code)) return;
  search.seen.add(code);
  search.left -= code.length;
  if (search.left < 0) throw new UnreadableCommand();
  const script = readScript(code);
  const line = listNodes(script, code);
  const variables = readVariables(line.nodes);
  const commands = line.commands.flatMap((command) => toPossible(command, variables));
  const isCode =
    line.isBroken || commands.some(({ isComputed, fields }) => isComputed || runsCode(fields));
  const texts = isCode ? [...line.texts] : [];
  for (const { fields, source, values, documents } of commands) {
    const isData = !isCode && takesData(fields);
    search.found.push({ fields, source, isData });
    if (!isData) texts.push(...fields.flatMap(({ text }) => withValue(text)), ...documents);
    if (fields.length > 0) texts.push(...values);
  }
  if (line.isBroken) texts.push(...code.split("\n"));
  for (const text of texts) searchText(text, search);
}

/** Searches a text that may be code in any language. */
function searchText(text: string, search: Search): void {
  for (const piece of text.replaceAll(/["']\s*,\s*["']/g, " ").split(separators)) {
    const words = piece.trim();
    if (words === "" || search.pieces.has(words)) continue;
    search.pieces.add(words);
    search.found.push({
      fields: words.split(/\s+/).map((word) => ({ text: word })),
      isData: false,
    });
  }
  if (/[\s;&|<>()`$'"\\{]/.test(text)) searchCode(text, search);
}

/** Returns a word, and the value inside it when it is a short option. */
function withValue(word: string): string[] {
  return /^-\w./s.test(word) ? [word, word.slice(2)] : [word];
}

/** Characters that separate a command from other commands, from names and from surrounding code. */
const separators = /[;&|\n\r(){}[\]`"'<>=,:!]/;

interface LineNodes {
  nodes: readonly SyntaxNode[];
  commands: readonly { command: Command; source: string }[];
  /** Every word and every here-document, wherever it occurs. */
  texts: readonly string[];
  /** A part of the line has a syntax error. */
  isBroken: boolean;
}

function listNodes(script: SyntaxNode, code: string): LineNodes {
  const nodes: SyntaxNode[] = [];
  const commands: { command: Command; source: string }[] = [];
  const texts: string[] = [];
  let isBroken = false;
  walkScript(script, (node) => {
    nodes.push(node);
    if (node.type === "Script" && (node.errors?.length ?? 0) > 0) isBroken = true;
    if (node.type === "Command")
      commands.push({ command: node, source: code.slice(node.pos, node.end) });
    if (node.type === "Word") texts.push(node.value);
    if (node.type === "HereDocBody") texts.push(node.text);
  });
  return { nodes, commands, texts, isBroken };
}

/** Collects all assignments of the line, whichever runs first. */
function readVariables(nodes: readonly SyntaxNode[]): ShellVariables {
  const variables = new Map<string, string[]>();
  const add = (name: string, word: Word): void => {
    const values = variables.get(name) ?? [];
    const { possibilities } = expandWord(word, variables, maxNames);
    const texts = possibilities
      .map((fields) => fields.map(({ text }) => text).join(" "))
      .filter(({ length }) => length <= maxValueLength);
    variables.set(name, [...new Set([...values, ...texts])].slice(0, maxNames));
  };
  for (const node of nodes) {
    if (node.type === "Assignment" && node.value.type === "Word") add(node.name, node.value);
    if (node.type !== "For" && node.type !== "Select") continue;
    for (const word of node.wordlist ?? []) add(node.name.value, word);
  }
  return variables;
}

interface ReadCommand {
  fields: CommandField[];
  source: string;
  /** The values assigned for this command only. */
  values: string[];
  /** The here-documents and here-strings that the command reads. */
  documents: string[];
  isComputed: boolean;
}

function toPossible(
  { command, source }: LineNodes["commands"][number],
  variables: ShellVariables,
): ReadCommand[] {
  const { name, prefix, args, redirects } = command;
  const values = prefix.flatMap((one) =>
    one.type === "Assignment" && one.value.type === "Word" ? [one.value.value] : [],
  );
  const documents = redirects.flatMap((redirection) => {
    if (redirection.type === "HereDoc") return [redirection.body.text];
    return redirection.type === "HereString" ? [redirection.target?.value ?? ""] : [];
  });
  if (name === undefined) return [{ source, values, documents, fields: [], isComputed: false }];
  const rest = args.flatMap((word) =>
    word.type === "Word" ? firstOf(word, variables) : [{ text: word.text }],
  );
  const { possibilities, isComputed } = expandWord(name, variables, maxNames);
  return possibilities.map((first) => {
    const fields = [...first, ...rest];
    return { source, values, documents, fields, isComputed };
  });
}

function firstOf(word: Word, variables: ShellVariables): CommandField[] {
  return expandWord(word, variables, 1).possibilities[0] ?? [];
}

/** Reports whether a program of the command may execute text that it reads. */
function runsCode(fields: readonly CommandField[]): boolean {
  const [first] = fields;
  if (first === undefined || takesData(fields)) return false;
  const isFile = first.text.includes("/") && riskOf(first.text) === undefined;
  return isFile || fields.some(({ text }) => isInterpreter(text));
}

/** Reports whether a command is known to execute none of its arguments. */
function takesData(fields: readonly CommandField[]): boolean {
  const [first] = fields;
  if (first === undefined) return true;
  const risk = riskOf(first.text);
  if (risk === undefined || risk.starts !== undefined || risk.runsArguments === true) return false;
  const words = fields.map(({ text }) => ({ value: text, isOpen: false }));
  return findRisk(words, null) === undefined;
}
