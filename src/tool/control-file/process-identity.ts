import { readFileSync } from "node:fs";
import { systemErrorCode } from "../path-confinement.ts";

/** A process, told from a later one with the same number by when it started. */
export interface ProcessIdentity {
  pid: number;
  /** In ticks of the system since it started; `null` where it does not say. */
  startedAt: string | null;
}

let own: ProcessIdentity | undefined;

/** This process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) };
  return own;
}

/** Whether a process runs. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
  return startOf(pid) === startedAt;
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in parentheses, and may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Field 3 is the state: an ended process that nobody waited for is not alive.
    return fields[0] === "Z" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
}
