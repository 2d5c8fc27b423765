import { readdirSync, readFileSync } from "node:fs";
import { systemErrorCode } from "../path/path-confinement.ts";

/** A running command and its processes, as far as they can be found from outside. */
export interface ProcessFamily {
  /** The leader of its process group and session. */
  pid: number;
  /** `NAME=value`: set in the environment of each of its processes. */
  marker: string;
  /** Whether it is a sandbox, which ends all its processes when its first process ends. */
  isSandboxed: boolean;
}

/** Sends SIGTERM to every process of the family. */
export function terminateFamily(family: ProcessFamily): void {
  // The sandbox's own process would end the others before they can clean up.
  if (!family.isSandboxed) sendSignal(-family.pid, "SIGTERM");
  const marker = Buffer.from(`${family.marker}\0`);
  for (const pid of findProcesses((process) => readEnvironment(process).includes(marker)))
    sendSignal(pid, "SIGTERM");
}

/** Kills every process of the family, including those that left its group but kept its session or its marker. */
export function killFamily(family: ProcessFamily): void {
  sendSignal(-family.pid, "SIGKILL");
  if (family.isSandboxed) return;
  const marker = Buffer.from(`${family.marker}\0`);
  const session = String(family.pid);
  // The next round finds processes forked in the meantime.
  for (let round = 0; round < 20; round += 1) {
    const pids = findProcesses(
      (pid) => readSession(pid) === session || readEnvironment(pid).includes(marker),
    );
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, "SIGKILL");
  }
}

/** Returns the ids of the processes that `isWanted` accepts. Empty where there is no /proc. */
export function findProcesses(isWanted: (pid: string) => boolean): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isWanted(name))
    .map(Number);
}

/**
 * Returns the variables of a process, each with a trailing NUL; empty for a process that has ended or belongs to another user.
 */
export function readEnvironment(pid: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Sends a signal to a process or, with a negative id, to a group. Ignores processes that have ended or belong to another user.
 */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // ESRCH: it has ended. EPERM: this process has no right to signal it.
    const code = systemErrorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Returns the session of a running process. */
function readSession(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name is in parentheses and may contain anything; the fields are counted from its end.
    const [state, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : session;
  } catch {
    return undefined;
  }
}
