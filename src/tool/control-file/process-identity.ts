import { readProcess } from "../../source/read-process.ts";
import { systemErrorCode } from "../path/path-confinement.ts";

/** A process, identified by its start time as well, because process ids are reused. */
export interface ProcessIdentity {
  pid: number;
  /** In clock ticks since the system started; `null` where the system does not report it. */
  startedAt: string | null;
}

let own: ProcessIdentity | undefined;

/** Returns the identity of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) };
  return own;
}

/** Reports whether a process is running. */
export function isProcessAlive({ pid, startedAt }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
  return startOf(pid) === startedAt;
}

function startOf(pid: number): string | null {
  return readProcess(pid)?.startedAt ?? null;
}
