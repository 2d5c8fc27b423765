import { reportError } from "./error/report-error.ts";
import { runCommandLine } from "./run-command-line.ts";

/** Executes `words` as the only command of this process. Returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  // The reader of the output is gone (`| head`), or the terminal is. A command that has runs to end adds a listener of its
  // own.
  process.stdout.on("error", () => {
    if (process.stdout.listenerCount("error") === 1) process.exit(0);
  });
  process.stderr.on("error", () => undefined);
  const fail = (error: unknown): never => process.exit(reportError(error));
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  return await runCommandLine(words);
}
