import { accessSync, constants } from "node:fs";
import { fileURLToPath } from "node:url";

/** The usual paths of perl. The PATH is not used, because it may contain a folder of the project. */
const perls = ["/usr/bin/perl", "/usr/local/bin/perl", "/run/current-system/sw/bin/perl"];

/** The number of the Linux system call prctl, by Node's name of the architecture. */
const prctls: Readonly<Record<string, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  ppc64: 171,
  arm: 172,
  ia32: 172,
  s390x: 172,
};

/** Returns the command that starts a program's supervisor; `null` where there is no perl. */
export function findSupervisor(): readonly [string, ...string[]] | null {
  const perl = perls.find(isExecutable);
  if (perl === undefined) return null;
  const script = fileURLToPath(new URL("./supervisor.pl", import.meta.url));
  const prctl = process.platform === "linux" ? (prctls[process.arch] ?? 0) : 0;
  return [perl, script, String(prctl)];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
