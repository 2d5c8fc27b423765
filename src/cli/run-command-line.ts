import { type Command, CommanderError } from "commander";
import { usageExit } from "./error/exit-code.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./error/report-error.ts";

/**
 * Executes the command line `cadre words…`. Options without the name of a command are those of `cadre chat`. No words mean
 * `cadre chat` on a terminal; elsewhere they show the help. Resolves with the exit code when all output has left the process.
 */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  const words = isChat(given) ? ["chat", ...given] : given;
  let code = 0;
  const program = await createProgram(words, (exit) => (code = exit));
  try {
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(withoutHelp(program, words), { from: "user" });
    return code;
  } catch (error) {
    // Commander has already printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExit;
    return reportError(error);
  } finally {
    await Promise.all([drain(process.stdout), drain(process.stderr)]);
  }
}

/** Leaves out the `help` of an unknown command, which would show the help of `cadre`, so that the parser refuses the command. */
function withoutHelp(program: Command, words: readonly string[]): readonly string[] {
  const [first, name] = words;
  if (first !== "help" || name === undefined || name === "help") return words;
  return program.commands.some((command) => command.name() === name) ? words : words.slice(1);
}

function isChat([first]: readonly string[]): boolean {
  if (first === undefined) return process.stdin.isTTY && process.stdout.isTTY;
  return first.startsWith("-") && !["-h", "--help", "-V", "--version"].includes(first);
}

/** Waits until the stream has flushed all output. */
function drain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}
