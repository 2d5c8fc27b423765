import { readFileSync } from "node:fs";

/**
 * When a process started, in the kernel's own units, which tells it from a later process with the same id; `undefined` when it
 * is dead or the machine does not tell.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may hold anything; the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
