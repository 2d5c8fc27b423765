import { CommanderError } from "commander";
import { usageExit } from "./error/exit-code.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./error/report-error.ts";

/**
 * Executes the command line `cadre words…`; on a terminal `cadre chat` without the name of a command, and elsewhere the help without words. Resolves with its exit
 * code when everything it wrote has left the process.
 */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const words = isTerminal && isChat(given) ? ["chat", ...given] : given;
  let code = 0;
  const program = await createProgram(words, (exit) => (code = exit));
  try {
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    // Commander has already printed the mistake, or the help that was requested.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExit;
    return reportError(error);
  } finally {
    await Promise.all([drain(process.stdout), drain(process.stderr)]);
  }
}

/** Reports whether there is no word but options of `cadre chat`. */
function isChat(words: readonly string[]): boolean {
  return words.every((word) => /^(?:-c|--continue(?:=.*)?|--plain)$/s.test(word));
}

/** Waits until the stream has passed on all output. */
function drain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}
