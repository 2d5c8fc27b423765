// Command lines in permission rules: decides which commands a rule for `Bash` covers or concerns.

import { hasWildcard, matchesWildcard } from "../path/wildcard.ts";
import { type CommandField, findsAnything, matchesGlob } from "./expand-word.ts";
import { describeRisk, findRisk } from "./find-risk.ts";
import { type PlainCommand, plainCommands } from "./plain-commands.ts";
import { type PossibleCommand, possibleCommands } from "./possible-commands.ts";
import { UnreadableCommand } from "./read-script.ts";
import { programName } from "./known-programs.ts";
import { readRuleText } from "./rule-text.ts";

/** The maximum number of arguments examined as the beginning of a command. Real command lines have fewer. */
const maxBeginnings = 2000;

/** Reports whether an allow pattern covers a command line: each command matches, and has no effect the pattern does not name. */
export function coversCommand(pattern: string, line: string): boolean {
  if (isWhole(pattern)) return matchesWildcard(pattern, line.trim());
  const commands = matchedCommands(pattern, line);
  return commands?.every((command) => findUncovered(pattern, command) === undefined) ?? false;
}

/** Explains why a pattern that matches a command line does not cover it; `undefined` when it does cover it, or does not match. */
export function explainUncovered(
  { pattern, rule }: { pattern: string; rule: string },
  line: string,
): string | undefined {
  if (isWhole(pattern)) return undefined;
  for (const command of matchedCommands(pattern, line) ?? []) {
    const risk = findUncovered(pattern, command);
    if (risk !== undefined) return describeRisk(risk, rule);
  }
  return undefined;
}

/** Reports whether a deny or ask pattern matches any part of a command line. */
export function concernsCommand(pattern: string, line: string): boolean {
  const start = startOf(pattern, true);
  if (matchesText(pattern, start, line.trim())) return true;
  const wide = { pattern, start, beginning: beginningOf(pattern) };
  try {
    return possibleCommands(line).some((command) => concerns(wide, command));
  } catch (error) {
    if (error instanceof UnreadableCommand) return true;
    throw error;
  }
}

function isWhole(pattern: string): boolean {
  return startOf(pattern, false) === null && !hasWildcard(pattern);
}

function matchedCommands(pattern: string, line: string): readonly PlainCommand[] | undefined {
  const start = startOf(pattern, false);
  const commands = plainCommands(line);
  return commands?.every(({ text }) => matchesText(pattern, start, text)) === true
    ? commands
    : undefined;
}

function findUncovered(
  pattern: string,
  { words, variables }: PlainCommand,
): ReturnType<typeof findRisk> {
  const rule = readRuleText(pattern);
  const variable = variables.find((name) => !rule.setsVariable(name));
  const command = programName(words[0]?.value ?? "");
  if (variable !== undefined) return { command, word: variable, effect: "sets" };
  return findRisk(words, rule);
}

/**
 * Returns the command of a pattern such as `git push:*` or `git push *`, which matches that command with or without further
 * arguments; `null` for other patterns. As in Claude Code, ` *` after another `*` requires an argument to allow a call.
 */
function startOf(pattern: string, isWide: boolean): string | null {
  const start = /^(.*[^\\])(?::| )\*$/s.exec(pattern)?.[1] ?? null;
  if (start === null || pattern.endsWith(":*")) return start;
  return isWide || !hasWildcard(start) ? start : null;
}

function matchesText(pattern: string, start: string | null, text: string): boolean {
  return start === null
    ? matchesWildcard(pattern, text)
    : matchesWildcard(start, text) || matchesWildcard(`${start} *`, text);
}

interface WidePattern {
  pattern: string;
  start: string | null;
  beginning: Beginning;
}

function concerns({ pattern, start, beginning }: WidePattern, command: PossibleCommand): boolean {
  const { source, fields, isData } = command;
  if (source !== undefined && matchesText(pattern, start, source)) return true;
  const texts = fields.map(({ text }) => text);
  const whole = texts.join(" ");
  let [offset, beginnings] = [0, 0];
  for (const [index, field] of fields.entries()) {
    if (index > 0 && isData) return false;
    const rest = whole.slice(offset + field.text.length);
    offset += field.text.length + 1;
    for (const name of namesOf(field, beginning, index === 0)) {
      beginnings += 1;
      if (beginnings > maxBeginnings) throw new UnreadableCommand();
      if (matchesText(pattern, start, name + rest)) return true;
    }
  }
  return false;
}

/** The literal beginning of a pattern's first word, and whether the word may continue. */
interface Beginning {
  text: string;
  isOpen: boolean;
}

function beginningOf(pattern: string): Beginning {
  const [, text = "", next = ""] = /^((?:\\.|[^\s*:\\])*)(.?)/s.exec(pattern) ?? [];
  return { text: text.replaceAll(/\\(.)/gs, "$1"), isOpen: next === "*" };
}

/** Returns the spellings of a field that fit the beginning of a pattern. */
function namesOf({ text, glob }: CommandField, beginning: Beginning, isFirst: boolean): string[] {
  if (glob === undefined && !text.includes(beginning.text)) return [];
  const names = new Set([text, programName(text)]);
  const fitting = [...names].filter((name) =>
    beginning.isOpen ? name.startsWith(beginning.text) : name === beginning.text,
  );
  if (glob === undefined) return fitting;
  const pattern = programName(glob);
  if ((isFirst || !findsAnything(pattern)) && matchesGlob(pattern, beginning.text))
    fitting.push(beginning.text);
  return fitting;
}
