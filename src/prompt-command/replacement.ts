import type { PromptCommand } from "./prompt-command.ts";

/** Replaces the placeholders of a prompt. */
export interface Replacement {
  replace(text: string): string;
  /** Whether an argument replaced a placeholder. */
  isUsed(): boolean;
}

/** A command's argument, as a whole and as words. */
interface Given {
  argument: string;
  words: readonly string[];
}

/**
 * Creates the replacement of `$ARGUMENTS` and of single words. In Claude Code's prompts, `$ARGUMENTS[0]` and `$0` are the first
 * word. A prompt without these counts from `$1`, as earlier versions did, and keeps a placeholder without a word. In OpenCode's
 * prompts, `$1` is the first word, the last placeholder takes all remaining words, and a placeholder without a word becomes
 * empty.
 */
export function createReplacement(command: PromptCommand, given: Given): Replacement {
  const { template, style, argumentNames } = command;
  const find = style === "opencode" ? openCodeWords(template, given) : claudeWords(template, given);
  let isUsed = false;
  const use = (text: string): string => {
    isUsed = true;
    return text;
  };
  const names = argumentNames.map((name) => `|\\$(${name})\\b`).join("");
  const placeholder = new RegExp(
    `\\$ARGUMENTS\\[(?<index>\\d+)\\]|(?<all>\\$ARGUMENTS)\\b|\\$(?<number>\\d+)${names}`,
    "g",
  );
  return {
    isUsed: () => isUsed,
    replace: (text) =>
      text.replaceAll(placeholder, (written, ...match) => {
        const groups = match.at(-1) as Record<string, string | undefined>;
        if (groups["all"] !== undefined) return use(given.argument);
        const { index, number } = groups;
        const named = argumentNames.indexOf(written.slice(1));
        const word =
          number !== undefined
            ? find(Number(number))
            : given.words[index === undefined ? named : Number(index)];
        return word === undefined ? written : use(word);
      }),
  };
}

type FindWord = (number: number) => string | undefined;

function claudeWords(template: string, { words }: Given): FindWord {
  const first = /\$0(?!\d)|\$ARGUMENTS\[/.test(template) ? 0 : 1;
  return (number) => words[number - first];
}

function openCodeWords(template: string, { words }: Given): FindWord {
  const numbers = Array.from(template.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
  const last = Math.max(...numbers);
  return (number) =>
    number === last ? words.slice(number - 1).join(" ") : (words[number - 1] ?? "");
}
