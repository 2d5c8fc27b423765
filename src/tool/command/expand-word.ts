import type { ParameterExpansionPart, Word, WordPart } from "unbash";
import { UnreadableCommand } from "./read-script.ts";

/** The possible values of a command line's variables, by name. */
export type ShellVariables = ReadonlyMap<string, readonly string[]>;

/** The possible expansions of a word, as far as its text shows. */
export interface ExpandedWord {
  /** Each possibility, split into fields. */
  possibilities: CommandField[][];
  /** A part of the word is known only at run time; the possibilities leave that part out. */
  isComputed: boolean;
}

/** A field of a command: one argument. */
export interface CommandField {
  text: string;
  /** The file name pattern of the field, for {@link matchesGlob}; absent when it has none. */
  glob?: string;
}

/** Private-use characters mark unquoted characters, to tell them from quoted ones. */
const [split, star, question, bracket] = ["\u{E001}", "\u{E002}", "\u{E003}", "\u{E004}"] as const;
const globs: Readonly<Record<string, string>> = { star, question, bracket };
/** The maximum number of fields that braces may expand to. */
const maxFields = 256;

/** Expands braces, variables and quotes of `word` into at most `limit` possibilities. */
export function expandWord(word: Word, variables: ShellVariables, limit: number): ExpandedWord {
  const state: Expansion = { variables, limit, isComputed: false };
  const texts = word.parts === undefined ? [word.value] : expandParts(word.parts, state, false);
  return { possibilities: texts.map(toFields), isComputed: state.isComputed };
}

/** Reports whether a glob consists of `*` and `?` only. */
export function findsAnything(glob: string): boolean {
  return /^[\u{E002}\u{E003}]*$/u.test(glob);
}

/** Reports whether `glob` may match a file named `name`. */
export function matchesGlob(glob: string, name: string): boolean {
  const row: boolean[] = [true];
  for (let at = 1; at <= name.length; at += 1) row.push(false);
  for (const part of glob) {
    let diagonal = row[0] ?? false;
    row[0] = part === star && diagonal;
    for (let at = 1; at <= name.length; at += 1) {
      const above = row[at] ?? false;
      const isOne = part === question || part === bracket || part === name.charAt(at - 1);
      row[at] = part === star ? above || (row[at - 1] ?? false) : isOne && diagonal;
      diagonal = above;
    }
  }
  return row[name.length] ?? false;
}

interface Expansion {
  variables: ShellVariables;
  limit: number;
  isComputed: boolean;
}

function expandParts(parts: readonly WordPart[], state: Expansion, isQuoted: boolean): string[] {
  let texts = [""];
  for (const [index, part] of parts.entries()) {
    if (part.type === "BraceExpansion") {
      const after = expandParts(parts.slice(index + 1), state, isQuoted);
      const items = expandBraces(part.text);
      const wholes = texts.flatMap((text) => after.map((rest) => combine(text, items, rest)));
      return wholes.slice(0, state.limit);
    }
    const next = expandPart(part, state, isQuoted);
    texts = texts.flatMap((text) => next.map((more) => text + more)).slice(0, state.limit);
  }
  return texts;
}

/** Returns the fields of `before{items}after` in one text. */
function combine(before: string, items: readonly string[], after: string): string {
  const ends = after.split(split);
  if (items.length * ends.length > maxFields) throw new UnreadableCommand();
  return items.flatMap((item) => ends.map((end) => before + item + end)).join(split);
}

function expandPart(part: WordPart, state: Expansion, isQuoted: boolean): string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "DoubleQuoted":
    case "LocaleString":
      return expandParts(part.parts, state, true);
    case "Glob":
      return [globs[part.kind] ?? part.text];
    case "SimpleExpansion":
      return valuesOf(part.text.slice(1), state, isQuoted);
    case "ParameterExpansion":
      return expandParameter(part, state, isQuoted);
    case "BraceExpansion":
    case "ExtendedGlob":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      state.isComputed = true;
      return [""];
  }
}

function expandParameter(
  { parameter, prefix, operation }: ParameterExpansionPart,
  state: Expansion,
  isQuoted: boolean,
): string[] {
  if (parameter === "IFS" && prefix === undefined) return [isQuoted ? " " : split];
  if (operation?.type === "Default") {
    const known = state.variables.get(parameter) ?? [];
    const { possibilities } = expandWord(operation.operand, state.variables, state.limit);
    const operand = possibilities.map((fields) => fields.map(({ text }) => text).join(" "));
    return spread([...known, ...operand], isQuoted);
  }
  if (prefix === undefined && operation === undefined) return valuesOf(parameter, state, isQuoted);
  state.isComputed = true;
  return [""];
}

function valuesOf(name: string, state: Expansion, isQuoted: boolean): string[] {
  if (name === "IFS") return [isQuoted ? " " : split];
  const values = state.variables.get(name);
  if (values !== undefined) return spread(values, isQuoted);
  state.isComputed = true;
  return [""];
}

/** Splits values into fields as the shell does, unless they are quoted. */
function spread(values: readonly string[], isQuoted: boolean): string[] {
  return isQuoted ? [...values] : values.map((value) => value.replaceAll(/\s+/g, split));
}

/** Returns the items of `{a,b}`. A range such as `{a..c}` counts as its first item. */
function expandBraces(text: string): string[] {
  const inner = text.slice(1, -1);
  const range = /^([^,{}]*)\.\.[^,{}]*$/.exec(inner)?.[1];
  return range === undefined ? splitAtCommas(inner) : [range];
}

function splitAtCommas(inner: string): string[] {
  const items = [""];
  let depth = 0;
  for (const character of inner) {
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (character === "," && depth === 0) items.push("");
    else if (!/["'\\]/.test(character)) items[items.length - 1] += character;
    if (items.length > maxFields) throw new UnreadableCommand();
  }
  return items.flatMap((item) => (/^\{.*\}$/s.test(item) ? expandBraces(item) : [item]));
}

const marks = /[\u{E002}-\u{E004}]/u;

function toFields(text: string): CommandField[] {
  return text
    .split(split)
    .filter((field) => field !== "")
    .map((field) => {
      if (!marks.test(field)) return { text: field };
      const plain = field.replaceAll(star, "*").replaceAll(question, "?");
      return { text: plain.replaceAll(bracket, "[]"), glob: field };
    });
}
