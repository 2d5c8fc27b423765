import { setTimeout as wait } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import { markerName } from "./command-environment.ts";
import { supervisorName } from "./launch-supervised.ts";
import { isOwnerGone, ownerMark, ownerName } from "./owner-mark.ts";
import { findProcesses, readEnvironment, sendSignal } from "./process-family.ts";

const pauseMs = 10;
/** How long supervisors may take to end their processes. */
const supervisorMs = 6000;
const maxWaitMs = 10_000;

/**
 * Ends the processes that dead Cadre processes left on this machine, and those that another process still runs for `runIds`,
 * which this one has taken over. Resolves when all have ended; at once where there is no /proc.
 *
 * @throws CadreError `run-owned` when a process does not end within ten seconds.
 */
export async function endLeftProcesses(runIds: Iterable<string>): Promise<void> {
  const runs = new Set(runIds);
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const left = findProcesses((pid) => isAbandoned(readVariables(pid), runs));
    if (left.length === 0) return;
    if (waitedMs >= maxWaitMs) throw cannotEnd(left);
    for (const pid of left) {
      const isSupervisor = readVariables(String(pid)).has(supervisorName);
      // Only a supervisor knows the processes that escaped its marks; it ends after them.
      const mayFinish = isSupervisor && waitedMs < supervisorMs;
      sendSignal(pid, mayFinish ? "SIGCONT" : "SIGKILL");
    }
    await wait(pauseMs);
  }
}

function isAbandoned(variables: ReadonlyMap<string, string>, runs: ReadonlySet<string>): boolean {
  const owner = variables.get(ownerName);
  if (owner === undefined || owner === ownerMark()) return false;
  // `RUN/step…` for a command, `runner/RUN` for a runner.
  const words = variables.get(markerName)?.split("/") ?? [];
  const run = words[0] === "runner" ? words[1] : words[0];
  return isOwnerGone(owner) || (run !== undefined && runs.has(run));
}

function readVariables(pid: string): Map<string, string> {
  const text = readEnvironment(pid).toString();
  if (!text.includes(ownerName)) return new Map();
  return new Map(
    text.split("\0").map((entry) => {
      const [name = "", value = ""] = entry.split(/=(.*)/s, 2);
      return [name, value];
    }),
  );
}

function cannotEnd(left: readonly number[]): CadreError {
  return new CadreError(
    "run-owned",
    `Expected every process of an earlier Cadre to have ended; the processes ${left.join(", ")} still run and cannot be killed. End them, then resume again.`,
  );
}
