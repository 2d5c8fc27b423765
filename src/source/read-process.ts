import { readFileSync } from "node:fs";

/** The state of a process according to the kernel. */
export interface ProcessState {
  /** The start time in the kernel's units. It distinguishes the process from a later one with the same id. */
  startedAt: string;
  /** Whether the process is stopped, for example by Ctrl-Z. */
  isStopped: boolean;
}

/** Reads the state of a process; `undefined` when it is dead or the machine has no `/proc`. */
export function readProcess(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may contain anything, so the fields are counted after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "Z", startedAt] = [fields[0], fields[19]];
    if (state === "Z" || startedAt === undefined) return undefined;
    return { startedAt, isStopped: state === "T" || state === "t" };
  } catch {
    return undefined;
  }
}
