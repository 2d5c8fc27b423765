import { readKey } from "../read-key.ts";
import { reportError } from "../report-error.ts";
import { UsageError } from "../usage-error.ts";

const escape = "\u001b";
/** The last two are Ctrl-C and Ctrl-D. */
const endKeys: ReadonlySet<string> = new Set(["q", escape, "\u0003", "\u0004"]);

/** @throws UsageError where nobody sits at a terminal, or standard output has one result. */
export function checkInteractive({ json, events }: { json?: boolean; events?: boolean }): void {
  if (json === true || events === true) {
    const flag = json === true ? "--json" : "--events";
    throw new UsageError(`Expected --interactive or ${flag}; got both.`);
  }
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new UsageError("Expected a terminal for --interactive, which waits for keys.");
}

/**
 * Runs something, and again whenever `r` is pressed afterwards; returns the exit code of the last time. An error does not end it:
 * the file that caused it may be put right meanwhile.
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
    // A terminal that was closed gives no more keys.
    const key = await readKey(process.stdin, signal, ask).catch(() => escape);
    process.stderr.write("\n");
    if (endKeys.has(key)) return false;
    if (key === "r") return true;
  }
}
