/** What an option, a word or a variable makes a command do beyond what the command's name says. */
export type Effect = "writes" | "runs" | "loads" | "sends";

/** Tests whether a word, seen with the word before it, has an effect. A regular expression is a word test. */
interface WordTest {
  test(word: string, before: string): boolean;
}

/** Names per effect, separated by spaces. */
type Names = Partial<Record<Effect, string>>;

/**
 * The effects of a program that an allow rule does not cover unless its text names them. An option is written `--long`, which
 * includes its abbreviations, or `-s`, which includes clusters such as `-as`.
 */
export interface CommandRisk {
  options?: Names;
  /** Options before the subcommand. */
  globalOptions?: Names;
  /** Harmless long options whose names start like an abbreviation of a risky option. */
  harmless?: string;
  /** Letters of short options whose value may follow in the same word, so that the word is not a cluster. */
  valued?: string;
  /** Options are whole words after one or two hyphens, as in `find` and `go`. */
  isWordStyle?: boolean;
  /** The first word is a cluster of options without a hyphen, as in `tar`. */
  isBundled?: boolean;
  /** Words with an effect, options included. */
  words?: Partial<Record<Effect, WordTest>>;
  subcommands?: Names;
  /** Further risks per subcommand. */
  within?: Readonly<Record<string, CommandRisk>>;
  /** The program runs the command that follows its own options, the values of `valueOptions`, and `operands` more words. */
  starts?: { operands: number; valueOptions: string };
  /** Its arguments may be a command. Deny and ask rules look for commands in them; an allow rule for the program covers them. */
  runsArguments?: boolean;
}
