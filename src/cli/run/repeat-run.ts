import { readKey } from "../terminal/read-key.ts";
import { reportError } from "../error/report-error.ts";
import { UsageError } from "../arguments/usage-error.ts";

const escape = "\u001b";
/** The last two keys are Ctrl-C and Ctrl-D. */
const endKeys: ReadonlySet<string> = new Set(["q", escape, "\u0003", "\u0004"]);

/** Checks that `--interactive` is possible. @throws UsageError without a terminal, or for an option that writes one result. */
export function checkInteractive({ json, events }: { json?: boolean; events?: boolean }): void {
  if (json === true || events === true) {
    const flag = json === true ? "--json" : "--events";
    throw new UsageError(`Expected --interactive or ${flag}; got both.`);
  }
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new UsageError("Expected a terminal for --interactive, which waits for keys.");
}

/**
 * Calls `run`, and again each time the user presses `r`. Returns the exit code of the last call. An error does not end the loop,
 * because the user may correct the file that caused it.
 */
export async function repeatRun(run: () => Promise<number>): Promise<number> {
  for (;;) {
    const code = await run().catch(reportError);
    if (!(await isAgainWanted())) return code;
  }
}

async function isAgainWanted(): Promise<boolean> {
  const { signal } = new AbortController();
  for (;;) {
    const ask = (): boolean => process.stderr.write("r: run it again, q: quit [r/q] ");
    // A closed terminal sends no more keys.
    const key = await readKey(process.stdin, signal, ask).catch(() => escape);
    process.stderr.write("\n");
    if (endKeys.has(key)) return false;
    if (key === "r") return true;
  }
}
