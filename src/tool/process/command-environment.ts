import { traceVariables } from "../../trace-context.ts";

/** The variables a command inherits. An allow list, because a list of all names of secrets is impossible. */
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

/** The variable that marks every process of a call, so that processes which left its group are found. */
export const markerName = "CADRE_RUN_STEP";

/**
 * Returns the environment of a command: a few variables of `source`, those named in `passed`, no keys or tokens, a dumb terminal,
 * and the trace that the command belongs to.
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
    // Prevents programs from waiting for a user.
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
    GIT_PAGER: "cat",
    ...traceVariables(),
  };
}
