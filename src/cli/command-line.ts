import { reportError } from "./error/report-error.ts";
import { runCommandLine } from "./run-command-line.ts";

/** Executes `words` as the only command of this process. Returns its exit code. */
export async function main(words: readonly string[]): Promise<number> {
  // The reader of the output (`| head`) or the terminal is gone. A command that must end runs adds its own listener.
  process.stdout.on("error", () => {
    if (process.stdout.listenerCount("error") === 1) process.exit(0);
  });
  process.stderr.on("error", () => undefined);
  const fail = (error: unknown): never => process.exit(reportError(error));
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  return await runCommandLine(words);
}
