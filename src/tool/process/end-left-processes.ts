import { setTimeout as wait } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import { markerName } from "../command-environment.ts";
import { supervisorName } from "./launch-supervised.ts";
import { isOwnerGone, ownerMark, ownerName } from "./owner-mark.ts";
import { findProcesses, readEnvironment, sendSignal } from "./process-family.ts";

const pauseMs = 10;
/** How long supervisors may take to end what they supervise. */
const supervisorMs = 6000;
const longestMs = 10_000;

/**
 * Ends what dead processes of Cadre left running on this machine, and what another process still runs for `runIds`, which this
 * one has taken over. Resolves when all of that has ended; at once where there is no /proc.
 *
 * @throws CadreError `run-owned` when something of it does not end within ten seconds.
 */
export async function endLeftProcesses(runIds: Iterable<string>): Promise<void> {
  const runs = new Set(runIds);
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const left = findProcesses((pid) => isLeft(readVariables(pid), runs));
    if (left.length === 0) return;
    if (waitedMs >= longestMs) throw cannotEnd(left);
    for (const pid of left) {
      const isSupervisor = readVariables(String(pid)).has(supervisorName);
      // A supervisor is the only one who knows what escaped its marks; it ends when that has ended.
      const mayFinish = isSupervisor && waitedMs < supervisorMs;
      sendSignal(pid, mayFinish ? "SIGCONT" : "SIGKILL");
    }
    await wait(pauseMs);
  }
}

function isLeft(variables: ReadonlyMap<string, string>, runs: ReadonlySet<string>): boolean {
  const owner = variables.get(ownerName);
  if (owner === undefined || owner === ownerMark()) return false;
  // `RUN/step…` of a command, `runner/RUN` of a runner.
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
    `Expected that nothing of an earlier Cadre runs any more; the processes ${left.join(", ")} do, and cannot be killed. End them, then resume again.`,
  );
}
