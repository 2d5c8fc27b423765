/** What a command inherits. A list of what may pass, because nobody can list every name of a secret. */
const inherited: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "USER",
  "LOGNAME",
  "SHELL",
  "TZ",
];

/** The variable that marks every process of one call, so that those that left its group are found too. */
export const markerName = "CADRE_RUN_STEP";

/**
 * The environment a command gets: a few variables of `source`, those named in `passed`, no keys or tokens, and a
 * terminal that cannot do anything.
 */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  options: { passed: readonly string[]; temporary: string },
): Record<string, string> {
  const names = [...inherited, ...options.passed];
  const kept = names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]]));
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    ...Object.fromEntries(kept),
    TERM: "dumb",
    TMPDIR: options.temporary,
    // Programs that would wait for a person.
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
    GIT_PAGER: "cat",
  };
}
