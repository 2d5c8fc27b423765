import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Identifies the scope in which this process's process ids are valid: one boot of one machine and, on Linux, one process
 * namespace. Containers may share a host name.
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
