import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import { secretPaths } from "../path/secret-path.ts";
import { skillFolders } from "../skill/skill-header.ts";
import type { DeniedFile } from "./find-denied-files.ts";
import { programFolders, readableHomeFolders } from "./home-folders.ts";
import { isVisibleAt, type Mounts, pinFolders, protectMounts } from "./mounts.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import { findPrivateSystemFiles, findSystemFolders } from "./system-folders.ts";

/** The folders of one command; all paths are absolute. */
export interface SandboxFolders {
  workspace: string;
  /** Whether the command may change only its own folders: `/tmp` and its home folder. */
  isReadOnly: boolean;
  /** Readable folders around the workspace that belong to it, such as the repository. */
  around: readonly string[];
  /** The folder mounted as `/tmp`. */
  temporary: string;
  /** The folder mounted as `~/.cache`. */
  caches: string;
  /** The folder of the family's long outputs; readable. */
  outputs: string;
  home: string;
  /** The folders of programs, as in the variable `PATH`. */
  path: string;
  /** Hidden folders. The other folders named here stay visible even inside them. */
  hiddenFolders: readonly string[];
  /** Readable paths besides those of the configuration. */
  readable: readonly string[];
  /** Control files, which are read-only. */
  readOnly: readonly string[];
  denied: readonly DeniedFile[];
  /** The git configuration that replaces the system's, in `outputs`. */
  gitConfig: string;
}

let machine: Mounts | undefined;

/** Plans the mounts of a command: only listed paths are visible, and of the home folder only toolchains. */
export function planMounts(options: SandboxOptions, folders: SandboxFolders): Mounts {
  machine ??= planMachine();
  const mounts: Mounts = new Map(machine);
  const { workspace, temporary, home, outputs } = folders;
  for (const path of ["/tmp", "/var/tmp"])
    mounts.set(path, { kind: "writable", source: temporary });
  addHome(mounts, folders, options);
  for (const path of [...folders.around, outputs]) addReadable(mounts, path);
  for (const path of [...(options.readable ?? []), ...folders.readable]) {
    if (existsSync(path)) addReadable(mounts, path);
  }
  const kind = folders.isReadOnly ? "read-only" : "writable";
  mounts.set(workspace, { kind });
  for (const path of options.writable ?? []) {
    if (existsSync(path)) mounts.set(path, { kind });
  }
  hideSecrets(mounts, folders);
  for (const path of folders.readOnly) mounts.set(path, { kind: "read-only" });
  denyFiles(mounts, folders.denied);
  pinFolders(mounts);
  for (const folder of ["/tmp", "/var/tmp", join(home, ".cache")]) protectMounts(mounts, folder);
  return mounts;
}

/** Plans the mounts that are the same for every command. */
function planMachine(): Mounts {
  const mounts: Mounts = new Map();
  for (const { path, target } of findSystemFolders()) {
    mounts.set(path, target === null ? { kind: "read-only" } : { kind: "symlink", target });
  }
  mounts.set("/var/run", { kind: "symlink", target: "/run" });
  for (const { path, isFolder } of findPrivateSystemFiles()) {
    mounts.set(path, { kind: isFolder ? "empty" : "blank" });
  }
  return mounts;
}

/** Adds an empty, writable home folder that ends with the command, except for its caches. */
function addHome(mounts: Mounts, sandboxFolders: SandboxFolders, options: SandboxOptions): void {
  const { home, caches } = sandboxFolders;
  const real = existsSync(home) ? realpathSync(home) : home;
  // A service without a home folder has nothing to hide.
  if (real === "/") return;
  if (real !== home) mounts.set(home, { kind: "symlink", target: real });
  mounts.set(real, { kind: "empty" });
  mounts.set(join(real, ".cache"), { kind: "writable", source: caches });
  const kept = [...secretPaths(real), ...sandboxFolders.hiddenFolders];
  const hasNetwork = options.network !== undefined && options.network !== false;
  const folders = [
    ...readableHomeFolders(real, hasNetwork),
    ...programFolders(sandboxFolders.path, real),
  ];
  for (const path of folders) {
    const isOwn = isInside(path, sandboxFolders.workspace);
    if (!isOwn && !kept.some((secret) => isInside(path, secret))) addReadable(mounts, path);
  }
  for (const path of skillFolders.map((name) => join(real, name))) {
    if (existsSync(path)) addReadable(mounts, path);
  }
}

function addReadable(mounts: Mounts, path: string): void {
  if (!isVisibleAt(mounts, path)) mounts.set(path, { kind: "read-only" });
}

/** Hides secrets in visible folders, such as a home folder that is the workspace. */
function hideSecrets(mounts: Mounts, { home, hiddenFolders }: SandboxFolders): void {
  for (const path of [...secretPaths(home), ...hiddenFolders].filter((one) => existsSync(one))) {
    const real = realpathSync(path);
    if (mounts.has(real) || !isVisibleAt(mounts, real)) continue;
    mounts.set(real, { kind: statSync(real).isDirectory() ? "empty" : "blank" });
  }
}

function denyFiles(mounts: Mounts, denied: readonly DeniedFile[]): void {
  const hidden = denied.filter((file) => file.denied === "read" && file.isFolder);
  for (const { path, isFolder, denied: what } of denied) {
    const isHidden = hidden.some((folder) => folder.path !== path && isInside(path, folder.path));
    if (isHidden || !isVisibleAt(mounts, path)) continue;
    if (what === "edit") mounts.set(path, { kind: "read-only" });
    else mounts.set(path, { kind: isFolder ? "empty" : "blank" });
  }
}
