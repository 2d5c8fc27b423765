import { readdirSync, readFileSync } from "node:fs";
import { systemErrorCode } from "../path-confinement.ts";

/** A running command and what it started, as far as that can be told from outside. */
export interface ProcessFamily {
  /** The leader of its process group and session. */
  pid: number;
  /** `NAME=value`, in the environment of every process of it. */
  marker: string;
  /** A sandbox ends all that is in it when its first process ends. */
  isSandboxed: boolean;
}

/** Asks every process of the family to end. */
export function terminateFamily(family: ProcessFamily): void {
  // The sandbox's own process would take the others with it before they could tidy up.
  if (!family.isSandboxed) sendSignal(-family.pid, "SIGTERM");
  const marker = Buffer.from(`${family.marker}\0`);
  for (const pid of findProcesses((process) => readEnvironment(process).includes(marker)))
    sendSignal(pid, "SIGTERM");
}

/** Kills every process of the family, also those that left its group but kept its session or its marker. */
export function killFamily(family: ProcessFamily): void {
  sendSignal(-family.pid, "SIGKILL");
  if (family.isSandboxed) return;
  const marker = Buffer.from(`${family.marker}\0`);
  const session = String(family.pid);
  // What is being forked while we look appears in the next round.
  for (let round = 0; round < 20; round += 1) {
    const pids = findProcesses(
      (pid) => readSession(pid) === session || readEnvironment(pid).includes(marker),
    );
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, "SIGKILL");
  }
}

/** The processes that `isWanted`, except those that are dead already. Empty where there is no /proc. */
export function findProcesses(isWanted: (pid: string) => boolean): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isWanted(name))
    .map(Number);
}

/** The variables of a process, each with a NUL behind it; empty for one that has ended or is somebody else's. */
export function readEnvironment(pid: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Sends a signal to a process or, with a negative id, to a group. One that has ended, or that is not ours, is passed over. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // ESRCH: it ended meanwhile. EPERM: a program with other rights, which nobody here can end.
    const code = systemErrorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** The session of a living process. */
function readSession(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may hold anything; the fields are counted from behind it.
    const [state, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : session;
  } catch {
    return undefined;
  }
}
