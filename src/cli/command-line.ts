import { CommanderError } from "commander";
import { usageExit } from "./exit-code.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./report-error.ts";

// Whoever read our output has gone (`| head`), or the terminal has: nobody is left to tell. A command with something to
// end before it goes listens too.
process.stdout.on("error", () => {
  if (process.stdout.listenerCount("error") === 1) process.exit(0);
});
process.stderr.on("error", () => undefined);

const fail = (error: unknown): never => process.exit(reportError(error));
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

/** Does what `words` say; returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  let code = 0;
  const program = await createProgram(words, (given) => (code = given));
  try {
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    // It has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExit;
    return reportError(error);
  } finally {
    await Promise.all([drain(process.stdout), drain(process.stderr)]);
  }
}

/** Waits until what was written has left. */
function drain(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write("", () => resolve());
  });
}
