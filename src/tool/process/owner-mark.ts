import { readlinkSync } from "node:fs";
import { readProcess } from "../../source/read-process.ts";

/** The variable that says which process of Cadre started a process, so that what a dead one left behind is found. */
export const ownerName = "CADRE_OWNER";

let own: string | undefined;

/** The value of {@link ownerName} for this process. */
export function ownerMark(): string {
  return (own ??= `${processSpace()}/${process.pid}/${readProcess(process.pid)?.startedAt ?? ""}`);
}

/**
 * Whether the Cadre of a mark has ended. `false` for one of another container, whose process ids mean something else here, and
 * for what is no mark.
 */
export function isOwnerGone(mark: string): boolean {
  const [space, pid, start] = mark.split("/");
  if (space !== processSpace() || pid === undefined || start === undefined) return false;
  return start !== "" && readProcess(Number(pid))?.startedAt !== start;
}

/** The process ids of a machine or container: those of another one may be the same numbers. */
function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "";
  }
}
