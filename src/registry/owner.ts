import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { readProcess } from "../source/read-process.ts";

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
