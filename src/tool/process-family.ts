import { readdirSync, readFileSync } from "node:fs";
import { systemErrorCode } from "./path-confinement.ts";

/** A running command and everything it started. */
export interface ProcessFamily {
  /** The leader of its process group. */
  pid: number;
  /** `NAME=value`, in the environment of every process of it. */
  marker: string;
  /** A sandbox ends all that is in it when its first process ends. */
  isSandboxed: boolean;
}

const alive = new Set<ProcessFamily>();
let endsWithUs = false;

/** Remembers a family, so that {@link killAllProcesses} and the end of this process reach it. */
export function rememberFamily(family: ProcessFamily): void {
  alive.add(family);
  if (endsWithUs) return;
  endsWithUs = true;
  process.once("exit", killAllProcesses);
}

/** Asks every process of the family to end. */
export function terminateFamily(family: ProcessFamily): void {
  // The sandbox's own process would take the others with it before they could tidy up.
  if (!family.isSandboxed) signal(-family.pid, "SIGTERM");
  for (const pid of markedProcesses(family.marker)) signal(pid, "SIGTERM");
}

/** Kills every process of the family, also those that left its group, and forgets it. */
export function killFamily(family: ProcessFamily): void {
  signal(-family.pid, "SIGKILL");
  alive.delete(family);
  if (!family.isSandboxed) killMarked(family.marker);
}

/** Kills every process that carries the marker `NAME=value`: also those that an earlier process of ours left behind. */
export function killMarked(marker: string): void {
  // What is being forked while we look appears in the next round.
  for (let round = 0; round < 20; round += 1) {
    const pids = markedProcesses(marker);
    if (pids.length === 0) return;
    for (const pid of pids) signal(pid, "SIGKILL");
  }
}

/** Kills every command that is running, at once and without waiting: for a second Ctrl-C and the end of the process. */
export function killAllProcesses(): void {
  for (const family of alive) killFamily(family);
}

/** The processes that carry the marker, except those that are dead already. Empty where there is no /proc. */
function markedProcesses(text: string): number[] {
  if (process.platform !== "linux") return [];
  const marker = Buffer.from(`${text}\0`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => carries(name, marker))
    .map(Number);
}

function carries(pid: string, marker: Buffer): boolean {
  try {
    // Empty for a process that ended and was not waited for yet.
    return readFileSync(`/proc/${pid}/environ`).includes(marker);
  } catch {
    // It ended, or belongs to somebody else: not ours either way.
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // ESRCH: it ended meanwhile. EPERM: a program with other rights, which nobody here can end.
    const code = systemErrorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
