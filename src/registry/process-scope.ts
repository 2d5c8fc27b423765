import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Names what the process ids of this process are valid in: one start of one machine, and on Linux one namespace of processes.
 * Containers may have the same name of a host.
 */
export function readProcessScope(): string {
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = attempt(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].filter((part) => part !== "").join(" ");
}

/** Other systems have no `/proc`. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
