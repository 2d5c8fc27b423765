import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findRunningSupervisor } from "./supervisor-record.ts";

/** The size in bytes above which the log is renamed when a supervisor starts. The renamed log replaces the previous one. */
const maxLogBytes = 1 << 20;
/** How long a supervisor may take to start, in milliseconds. */
const startMs = 20_000;
const pollMs = 50;

/** Returns the path of the supervisor's log. */
function supervisorLog(stateFolder: string): string {
  return join(stateFolder, "supervisor.log");
}

/**
 * Starts the supervisor of a state folder unless one is alive. The supervisor is independent of this process and its terminal.
 *
 * @throws Error that names the log when the supervisor does not start.
 */
export async function startSupervisor(stateFolder: string): Promise<void> {
  if ((await findRunningSupervisor(stateFolder)) !== undefined) return;
  const child = launch(stateFolder);
  const ended = new AbortController();
  for (const event of ["error", "exit"]) child.once(event, () => ended.abort());
  for (let waited = 0; waited < startMs && !ended.signal.aborted; waited += pollMs) {
    if ((await findRunningSupervisor(stateFolder)) !== undefined) break;
    await setTimeout(pollMs);
  }
  child.unref();
  // A supervisor that ended may have found another one that started at the same moment.
  if ((await findRunningSupervisor(stateFolder)) !== undefined) return;
  throw new Error(
    `The process that executes runs in the background did not start. ${supervisorLog(stateFolder)} says why.`,
  );
}

function launch(stateFolder: string): ReturnType<typeof spawn> {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const log = supervisorLog(stateFolder);
  if (existsSync(log) && statSync(log).size > maxLogBytes) renameSync(log, `${log}.old`);
  const output = openSync(log, "a", 0o600);
  try {
    const words = [...process.execArgv, process.argv[1] ?? "", "supervise", stateFolder];
    return spawn(process.execPath, words, {
      detached: true,
      stdio: ["ignore", output, output],
      cwd: stateFolder,
    });
  } finally {
    closeSync(output);
  }
}
