import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { randomUUID } from "node:crypto";

/** A process that executes runs. It owns a run while it keeps saying that it is alive. */
export interface Owner {
  id: string;
  host: string;
  pid: number;
  /** Tells it from a later process with the same pid. */
  startedAt: string;
}

/** How owners show that they are alive. */
export interface LeaseTimes {
  /** How often an owner says so, in milliseconds. */
  heartbeatMs: number;
  /** How long after its last sign an owner counts as dead, in milliseconds. */
  leaseMs: number;
}

/** What every process uses, so that each judges the others by the times they keep. */
export const defaultLeaseTimes: LeaseTimes = { heartbeatMs: 3000, leaseMs: 20_000 };

/** This process as an owner. */
export function createOwner(): Owner {
  return {
    id: randomUUID(),
    host: hostname(),
    pid: process.pid,
    startedAt: readProcess(process.pid)?.startedAt ?? "",
  };
}

/**
 * Whether `owner`, who gave its last sign `silentMs` ago by the wall clock, can still be at work. A process of this machine
 * that runs is, whatever the clock says: somebody may have set it.
 */
export function isAlive(owner: Owner, silentMs: number, { leaseMs }: LeaseTimes): boolean {
  const isSilent = silentMs > leaseMs;
  if (owner.host !== hostname()) return !isSilent;
  if (!processExists(owner.pid)) return false;
  const found = readProcess(owner.pid);
  if (found?.startedAt !== (owner.startedAt || undefined)) return false;
  return found === undefined || found.isStopped ? !isSilent : true;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * When a process started, in the kernel's own units, and whether somebody stopped it; `undefined` when it is dead or the
 * machine does not tell.
 */
function readProcess(pid: number): { startedAt: string; isStopped: boolean } | undefined {
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
