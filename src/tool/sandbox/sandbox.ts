// The sandbox: runs commands in bubblewrap with limited files, network and processes.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CadreError } from "../../errors.ts";
import { toArguments } from "./mounts.ts";
import { planMounts, type SandboxFolders } from "./plan-mounts.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import { createSeccompFilter } from "./seccomp-filter.ts";
import { createFolder } from "../../source/file/create-folder.ts";

/** Wraps a command to run in the sandbox. */
export type Sandbox = (command: readonly string[], folders: SandboxFolders) => string[];

/** The programs and folders that the sandbox uses. */
export interface SandboxPrograms {
  /** Default `bwrap`. */
  bubblewrap?: string;
  /** The folder for the system call filter; created when missing. */
  folder: string;
}

const remedy =
  "Install the Debian package bubblewrap (apt install bubblewrap), allow user namespaces, or set sandbox mode to off";

/**
 * Detects by a trial whether this machine can sandbox. Returns `null` when it cannot, or when the mode is `off`.
 *
 * @throws CadreError `not-trusted` when the mode is `required` and it cannot.
 */
export async function detectSandbox(
  options: SandboxOptions,
  { bubblewrap = "bwrap", folder }: SandboxPrograms,
): Promise<Sandbox | null> {
  const mode = options.mode ?? "auto";
  if (mode === "off") return null;
  const problem = await findSandboxProblem(bubblewrap);
  if (problem === null) {
    const launch = createLauncher(bubblewrap, options, folder);
    const readOnly = withoutNetwork(options);
    const launchReadOnly = createLauncher(bubblewrap, readOnly, folder);
    return (command, folders) =>
      folders.isReadOnly
        ? [...launchReadOnly, ...sandboxArguments(readOnly, folders), "--", ...command]
        : [...launch, ...sandboxArguments(options, folders), "--", ...command];
  }
  if (mode === "auto") return null;
  throw new CadreError(
    "not-trusted",
    `Commands must run in a sandbox, but this machine has none (${problem}). ${remedy}.`,
  );
}

/** Returns the options of a read-only command: through a network or a socket it could change other systems. */
export function withoutNetwork(options: SandboxOptions): SandboxOptions {
  return { ...options, network: false, unixSockets: false };
}

/** Separate namespaces for everything, and no rights to change them. */
const isolation: readonly string[] =
  "--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL".split(
    " ",
  );

/** Explains why this machine has no sandbox; `null` when it has one. */
export async function findSandboxProblem(bubblewrap = "bwrap"): Promise<string | null> {
  if (process.platform !== "linux") return `bubblewrap needs Linux, this is ${process.platform}`;
  const trial = "--unshare-net --ro-bind / / --dev /dev --proc /proc true".split(" ");
  try {
    await promisify(execFile)(bubblewrap, [...isolation, ...trial], { timeout: 5000 });
    return null;
  } catch (error) {
    return error instanceof Error
      ? (error.message.split("\n").at(-1) ?? error.message)
      : String(error);
  }
}

/** Returns the command that starts bubblewrap. Bubblewrap reads the filter from an open file, which the preceding shell opens. */
function createLauncher(
  bubblewrap: string,
  { unixSockets = false }: SandboxOptions,
  folder: string,
): string[] {
  const filter = unixSockets ? null : createSeccompFilter();
  if (filter === null) return [bubblewrap];
  const path = join(folder, "no-unix-sockets.bpf");
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  createFolder(folder, 0o700);
  writeFileSync(draft, filter);
  renameSync(draft, path);
  return ["/bin/sh", "-c", 'exec "$@" 9<"$0"', path, bubblewrap, "--seccomp", "9"];
}

/** Returns the arguments of bubblewrap. The process namespace ensures that no process outlives the command. */
function sandboxArguments(options: SandboxOptions, folders: SandboxFolders): string[] {
  return [
    ...isolation,
    ...(options.network === true ? [] : ["--unshare-net"]),
    ..."--dev /dev --proc /proc --dir /run --dir /var".split(" "),
    ...toArguments(planMounts(options, folders)),
    // Only mounts can be writable.
    ..."--remount-ro /".split(" "),
    "--chdir",
    folders.workspace,
    "--setenv",
    "HOME",
    folders.home,
    "--setenv",
    "GIT_CONFIG_SYSTEM",
    folders.gitConfig,
  ];
}
