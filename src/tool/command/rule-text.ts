/** The words that a command rule's pattern names. */
export interface RuleText {
  /** Its words, each up to its first `*`. */
  words: readonly string[];
  /** Reports whether the pattern names the option: `--long`, `-s`, or the beginning of a long one followed by `*`. */
  namesOption(option: string): boolean;
  /** Reports whether the pattern names the word, or a beginning of it followed by `*`. */
  namesWord(word: string): boolean;
  /** Reports whether the pattern sets the variable before a command. */
  setsVariable(name: string): boolean;
}

/** Parses a pattern such as `git log --output=*`. */
export function readRuleText(pattern: string): RuleText {
  const written = pattern
    .replace(/:\*$/, " *")
    .split(/\s+/)
    .filter((word) => word !== "");
  const words = written.map((word) => word.replaceAll(/["']/g, "").replace(/\*.*$/s, ""));
  const isBeginning = (index: number): boolean => written[index]?.includes("*") === true;

  function names(name: string, shortest: number): boolean {
    return words.some(
      (word, index) =>
        word === name || (isBeginning(index) && word.length >= shortest && name.startsWith(word)),
    );
  }

  return {
    words,
    namesOption(option) {
      if (/^-[^-]$/.test(option)) {
        const letter = option.slice(1);
        return words.some((word) => /^-[^-]/.test(word) && word.includes(letter));
      }
      const isLong = option.startsWith("--");
      const plain = new Set(words.map((word) => word.replace(/=.*$/s, "")));
      const isSpelled = plain.has(option) || (!isLong && plain.has(`-${option}`));
      return isSpelled || names(option, isLong ? 3 : 2);
    },
    namesWord: (word) => names(word, 1),
    setsVariable: (name) => words.some((word) => word.startsWith(`${name}=`)),
  };
}
