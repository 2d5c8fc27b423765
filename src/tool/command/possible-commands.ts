import type { Command, SyntaxNode, Word } from "unbash";
import { findRisk } from "./find-risk.ts";
import { isInterpreter, riskOf } from "./known-programs.ts";
import { expandWord, type Field, type Variables } from "./expand-word.ts";
import { readScript, UnreadableCommand, walkScript } from "./read-script.ts";

/** Something on a command line that might be run. */
export interface PossibleCommand {
  /** As written; absent for what was found in code. */
  source?: string;
  fields: readonly Field[];
  /** Its program takes the other fields for data; otherwise a command may begin at each of them. */
  isData: boolean;
}

/** The most possibilities for the name of a program; more than one only come from variables. */
const mostNames = 16;
/** The longest value of a variable: assignments that repeat it would double it each time. */
const longestValue = 1000;
/** How many characters of nested code are read for each character of the line, and for a short line. */
const [nestedPerCharacter, nestedAtLeast] = [4, 4000];

/**
 * Everything in `line` that might be run, for rules that forbid or ask: too much is right here. Commands in every construct
 * of the shell, what programs are given that may run it, and code in strings. What a program computes cannot be known.
 *
 * @throws UnreadableCommand when the line cannot be read within bounds.
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
  /** The texts that were searched, and the pieces that were found in them. */
  seen: Set<string>;
  pieces: Set<string>;
  /** The characters that may still be read. */
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

/** A text that may be code of any language. */
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

/** A word, and the value in it when it is a short option. */
function withValue(word: string): string[] {
  return /^-\w./s.test(word) ? [word, word.slice(2)] : [word];
}

/** What separates commands from each other, from names and from code around them. */
const separators = /[;&|\n\r(){}[\]`"'<>=,:!]/;

interface LineNodes {
  nodes: readonly SyntaxNode[];
  commands: readonly { command: Command; source: string }[];
  /** Every word and every document, wherever it stands. */
  texts: readonly string[];
  /** A part could not be understood. */
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

/** What is assigned anywhere on the line: which assignment is done first is not looked at. */
function readVariables(nodes: readonly SyntaxNode[]): Variables {
  const variables = new Map<string, string[]>();
  const add = (name: string, word: Word): void => {
    const values = variables.get(name) ?? [];
    const { possibilities } = expandWord(word, variables, mostNames);
    const texts = possibilities
      .map((fields) => fields.map(({ text }) => text).join(" "))
      .filter(({ length }) => length <= longestValue);
    variables.set(name, [...new Set([...values, ...texts])].slice(0, mostNames));
  };
  for (const node of nodes) {
    if (node.type === "Assignment" && node.value.type === "Word") add(node.name, node.value);
    if (node.type !== "For" && node.type !== "Select") continue;
    for (const word of node.wordlist ?? []) add(node.name.value, word);
  }
  return variables;
}

interface ReadCommand {
  fields: Field[];
  source: string;
  /** What is assigned for the command only. */
  values: string[];
  /** What it is given to read. */
  documents: string[];
  isComputed: boolean;
}

function toPossible(
  { command, source }: LineNodes["commands"][number],
  variables: Variables,
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
  const { possibilities, isComputed } = expandWord(name, variables, mostNames);
  return possibilities.map((first) => {
    const fields = [...first, ...rest];
    return { source, values, documents, fields, isComputed };
  });
}

function firstOf(word: Word, variables: Variables): Field[] {
  return expandWord(word, variables, 1).possibilities[0] ?? [];
}

/** Whether a program of the command may run text that it reads. */
function runsCode(fields: readonly Field[]): boolean {
  const [first] = fields;
  if (first === undefined || takesData(fields)) return false;
  const isFile = first.text.includes("/") && riskOf(first.text) === undefined;
  return isFile || fields.some(({ text }) => isInterpreter(text));
}

/** Whether a command is known to run none of its arguments. */
function takesData(fields: readonly Field[]): boolean {
  const [first] = fields;
  if (first === undefined) return true;
  const risk = riskOf(first.text);
  if (risk === undefined || risk.starts !== undefined || risk.runsArguments === true) return false;
  const words = fields.map(({ text }) => ({ value: text, isOpen: false }));
  return findRisk(words, null) === undefined;
}
