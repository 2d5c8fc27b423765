import { accessSync, constants, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The system folders that commands see. An allow list, because a list of all places of secrets is impossible. */
const folders: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
  "/snap",
  "/sys/devices/system",
  "/run/current-system",
  "/run/systemd/resolve",
  "/var/lib/ca-certificates",
];

/** A system folder, or a symlink in its place. */
export interface SystemFolder {
  path: string;
  /** The target of the symlink; `null` for a folder. */
  target: string | null;
}

/** Returns the system folders that exist. */
export function findSystemFolders(): SystemFolder[] {
  return folders.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return [{ path, target: stats.isSymbolicLink() ? readlinkSync(path) : null }];
  });
}

/**
 * Finds the files and folders in `/etc` that this user may read but not every user: keys, password hashes. Commands run as this
 * user, possibly as root.
 */
export function findPrivateSystemFiles(folder = "/etc"): { path: string; isFolder: boolean }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // This user cannot read it either.
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isSymbolicLink()) return [];
    const isFolder = stats.isDirectory();
    const isPublic = (stats.mode & (isFolder ? 0o005 : 0o004)) === (isFolder ? 0o005 : 0o004);
    if (!isPublic) return isReadable(path) ? [{ path, isFolder }] : [];
    return isFolder ? findPrivateSystemFiles(path) : [];
  });
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
