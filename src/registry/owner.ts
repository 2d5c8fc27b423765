import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { readProcess } from "../source/read-process.ts";

/** The owner of runs that were submitted to the workers. */
export const submittedOwner = "";

/** A process that executes runs. It owns a run while its heartbeat continues. */
export interface Owner {
  id: string;
  host: string;
  pid: number;
  /** Distinguishes it from a later process with the same pid. */
  startedAt: string;
}

/** The times of heartbeats and leases. */
export interface LeaseTimes {
  /** The interval of heartbeats, in milliseconds. */
  heartbeatMs: number;
  /** An owner counts as dead this long after its last heartbeat, in milliseconds. */
  leaseMs: number;
}

/** The times that every process uses by default. All processes that share a registry must use the same times. */
export const defaultLeaseTimes: LeaseTimes = { heartbeatMs: 3000, leaseMs: 20_000 };

/** Describes this process as an owner. */
export function createOwner(): Owner {
  const { pid } = process;
  const host = hostname();
  const startedAt = readProcess(pid)?.startedAt ?? "";
  // Journals show it to people.
  return { id: `${host}/${pid}/${randomBytes(6).toString("hex")}`, host, pid, startedAt };
}

/**
 * Reports whether `owner`, whose last heartbeat was `silentMs` ago, may still be active. A running process on this machine is
 * alive whatever its last heartbeat, because the clock may have been changed. `isHere` reports whether the owner's process id
 * belongs to this machine; default: by host name.
 */
export function isOwnerAlive(
  owner: Owner,
  silentMs: number,
  { leaseMs }: LeaseTimes,
  isHere: boolean = owner.host === hostname(),
): boolean {
  const isSilent = silentMs > leaseMs;
  if (!isHere) return !isSilent;
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
