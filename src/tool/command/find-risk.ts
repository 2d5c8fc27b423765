import type { CommandRisk, Effect } from "./command-risk.ts";
import { programName, riskOf } from "./known-programs.ts";
import type { RuleText } from "./rule-text.ts";
import { ownValue } from "../../source/own-value.ts";

/** A word of a command. */
export interface CommandWord {
  /** The value without quotes. */
  value: string;
  /** The word begins with a part that the shell expands: a variable or a file name pattern. */
  isOpen: boolean;
}

/** An effect of a command beyond what its name says. */
export interface Risk {
  /** The program, with its subcommand. */
  command: string;
  /** The option, word or variable with the effect. */
  word: string;
  effect: keyof typeof verbs;
}

/** The effect of a {@link Risk} as a verb phrase. */
const verbs = {
  writes: "writes or deletes files",
  runs: "runs a command",
  loads: "loads other settings or code",
  sends: "reads or sends other data",
  open: "may become an option when the shell expands it",
  starts: "is another program",
  sets: "is a variable set for it",
} as const;

/** Describes a risk that `rule` does not cover, as a sentence without its full stop. */
export function describeRisk({ command, word, effect }: Risk, rule: string): string {
  return `${command} ${word} ${verbs[effect]}, which the rule ${rule} does not cover`;
}

/** Finds the first effect of a command that the rule does not name. Without a rule (`null`), any effect counts. */
export function findRisk(words: readonly CommandWord[], rule: RuleText | null): Risk | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const risk = riskOf(first.value);
  if (risk === undefined || isHarmless(risk)) return undefined;
  const found = findInWords(risk, rest, rule) ?? findSubcommand(risk, rest, rule);
  if (found === undefined) return risk.starts && findStarted(words, risk, rule);
  const place = risk.subcommands && subcommandPlaces(rest)[0];
  const names = [programName(first.value), place === undefined ? "" : (rest[place]?.value ?? "")];
  return {
    ...found,
    command: names.filter((name) => name !== "" && name !== found.word).join(" "),
  };
}

type Found = Omit<Risk, "command">;

function isHarmless(risk: CommandRisk): boolean {
  return Object.keys(risk).length === 0;
}

function findInWords(
  risk: CommandRisk,
  words: readonly CommandWord[],
  rule: RuleText | null,
): Found | undefined {
  for (const [index, { value, isOpen }] of words.entries()) {
    // Only the author of a rule knows the values of its own variables.
    if (isOpen && rule !== null) return { word: value, effect: "open" };
    const isCluster = risk.isBundled === true && index === 0 && /^\w/.test(value);
    const found = findOption(risk, isCluster ? `-${value}` : value, rule);
    if (found !== undefined) return found;
    for (const [effect, pattern] of effectsOf(risk.words)) {
      const before = words[index - 1]?.value ?? "";
      const isNamed = rule?.words.some((word) => pattern.test(word, before)) === true;
      if (pattern.test(value, before) && !isNamed) return { word: value, effect };
    }
  }
  return undefined;
}

function findOption(risk: CommandRisk, word: string, rule: RuleText | null): Found | undefined {
  const style = risk.isWordStyle === true ? "word" : word.startsWith("--") ? "long" : "short";
  for (const [effect, names] of effectsOf(risk.options)) {
    const options = names.split(" ");
    const spelled =
      style === "word"
        ? spelledAsWord(word, options)
        : style === "long"
          ? spelledLong(word, options, risk.harmless)
          : spelledShort(word, options, risk.valued);
    const unnamed = spelled.find((option) => rule?.namesOption(option) !== true);
    if (unnamed !== undefined) return { word: unnamed, effect };
  }
  return undefined;
}

function spelledAsWord(word: string, options: readonly string[]): string[] {
  const name = word.replace(/^--/, "-").replace(/=.*$/s, "");
  return options.filter((option) => option === name);
}

function spelledLong(word: string, options: readonly string[], harmless = ""): string[] {
  const name = word.replace(/=.*$/s, "");
  if (name.length < 3 || harmless.split(" ").includes(name)) return [];
  const exact = options.filter((option) => option === name);
  if (exact.length > 0) return exact;
  // An ambiguous abbreviation is invalid, but which abbreviations are ambiguous depends on the program's version.
  return options.filter((option) => option.startsWith(name)).slice(0, 1);
}

function spelledShort(word: string, options: readonly string[], valued = ""): string[] {
  if (!word.startsWith("-")) return [];
  const spelled: string[] = [];
  for (const letter of word.slice(1)) {
    if (options.includes(`-${letter}`)) spelled.push(`-${letter}`);
    else if (!valued.includes(letter)) continue;
    break;
  }
  return spelled;
}

function findSubcommand(
  risk: CommandRisk,
  words: readonly CommandWord[],
  rule: RuleText | null,
): Found | undefined {
  const { subcommands, within = {}, globalOptions } = risk;
  if (subcommands === undefined) return undefined;
  const places = subcommandPlaces(words);
  const before = words.slice(0, places.at(-1) ?? words.length);
  const found = findInWords({ options: globalOptions ?? {} }, before, rule);
  if (found !== undefined) return found;
  for (const place of places) {
    const name = words[place]?.value ?? "";
    for (const [effect, names] of effectsOf(subcommands)) {
      if (names.split(" ").includes(name) && rule?.namesWord(name) !== true)
        return { word: name, effect };
    }
    const more = ownValue(within, name);
    const inside = more && findInWords(more, words.slice(place + 1), rule);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Returns the possible positions of the subcommand: a word after an option may be that option's value. */
function subcommandPlaces(words: readonly CommandWord[]): number[] {
  const places: number[] = [];
  for (const [index, { value }] of words.entries()) {
    if (value.startsWith("-")) continue;
    places.push(index);
    const before = words[index - 1]?.value ?? "";
    if (!before.startsWith("-") || before.includes("=")) break;
  }
  return places;
}

/** Finds the risk of a command that another command starts. A rule has to name the started program. */
function findStarted(
  words: readonly CommandWord[],
  risk: CommandRisk,
  rule: RuleText | null,
): Risk | undefined {
  const { operands, valueOptions } = risk.starts ?? { operands: 0, valueOptions: "" };
  const takesValue = new Set(valueOptions.split(" "));
  let left = operands;
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value ?? "";
    if (takesValue.has(value)) at += 1;
    if (value.startsWith("-")) continue;
    const name = /^[A-Za-z_]\w*(?==)/.exec(value)?.[0];
    const command = programName(words[0]?.value ?? "");
    if (name !== undefined) {
      if (rule?.setsVariable(name) !== true) return { command, word: name, effect: "sets" };
    } else if (left > 0) left -= 1;
    else if (rule?.namesWord(value) === true) return findRisk(words.slice(at), rule);
    else return { command, word: value, effect: "starts" };
  }
  return undefined;
}

function effectsOf<Value>(record: Partial<Record<Effect, Value>> = {}): [Effect, Value][] {
  return Object.entries(record) as [Effect, Value][];
}
