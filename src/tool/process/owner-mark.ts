import { readlinkSync } from "node:fs";
import { readProcess } from "../../source/read-process.ts";

/** The variable with the Cadre process that started a process. It identifies the processes that a dead Cadre process left. */
export const ownerName = "CADRE_OWNER";

let own: string | undefined;

/** The value of {@link ownerName} for this process. */
export function ownerMark(): string {
  return (own ??= `${processSpace()}/${process.pid}/${readProcess(process.pid)?.startedAt ?? ""}`);
}

/**
 * Reports whether the Cadre process of a mark has ended. `false` for a mark of another container, whose process ids differ, and
 * for an invalid mark.
 */
export function isOwnerGone(mark: string): boolean {
  const [space, pid, start] = mark.split("/");
  if (space !== processSpace() || pid === undefined || start === undefined) return false;
  return start !== "" && readProcess(Number(pid))?.startedAt !== start;
}

/** Returns the id of this machine's or container's process id namespace. */
function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "";
  }
}
