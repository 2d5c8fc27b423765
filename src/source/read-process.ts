import { readFileSync } from "node:fs";

/** What the kernel says of a process. */
export interface ProcessState {
  /** When it started, in the kernel's own units: tells it from a later process with the same id. */
  startedAt: string;
  /** Somebody stopped it, such as with Ctrl-Z. */
  isStopped: boolean;
}

/** The state of a process; `undefined` when it is dead or the machine has no `/proc`. */
export function readProcess(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may hold anything; the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "Z", startedAt] = [fields[0], fields[19]];
    if (state === "Z" || startedAt === undefined) return undefined;
    return { startedAt, isStopped: state === "T" || state === "t" };
  } catch {
    return undefined;
  }
}
