/** What an option, a word or a variable makes a command do besides what its name says. */
export type Effect = "writes" | "runs" | "loads" | "sends";

/** Tells by a word, and by the one before it, whether it does something. A regular expression is one. */
interface WordTest {
  test(word: string, before: string): boolean;
}

/** Lists of names, separated by blanks, by what they do. */
type Names = Partial<Record<Effect, string>>;

/**
 * What a rule that allows a program does not cover unless the rule's text names it. An option is written `--long`, which stands
 * for its abbreviations too, or `-s`, which stands for clusters such as `-as` too.
 */
export interface CommandRisk {
  options?: Names;
  /** Options before the name of the subcommand. */
  globalOptions?: Names;
  /** Long options that do no harm, though each is spelled like an abbreviation of one that does. */
  harmless?: string;
  /** Letters of short options whose value may follow in the same word, so that it is no cluster. */
  valued?: string;
  /** Options are whole words after one hyphen or two, as of `find` and `go`. */
  isWordStyle?: boolean;
  /** The first word is a cluster of options without its hyphen, as of `tar`. */
  isBundled?: boolean;
  /** Words that do it, options included. */
  words?: Partial<Record<Effect, WordTest>>;
  subcommands?: Names;
  /** What is more to say of a subcommand. */
  within?: Readonly<Record<string, CommandRisk>>;
  /** It runs the command behind its own options, the values of `valueOptions` and `operands` more words. */
  starts?: { operands: number; valueOptions: string };
  /** Its arguments may be a command, which a rule that allows the program is about as well. */
  runsArguments?: boolean;
}
