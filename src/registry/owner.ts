import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { processStart } from "../source/process-start.ts";

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
    startedAt: processStart(process.pid) ?? "",
  };
}

/** Whether `owner`, who gave its last sign `silentMs` ago, can still be at work. */
export function isAlive(owner: Owner, silentMs: number, { leaseMs }: LeaseTimes): boolean {
  if (silentMs > leaseMs) return false;
  if (owner.host !== hostname()) return true;
  return processExists(owner.pid) && processStart(owner.pid) === (owner.startedAt || undefined);
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
