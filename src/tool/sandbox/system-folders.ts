import { accessSync, constants, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What commands see of the system. A list of what may be seen, since nobody can list every place of a secret. */
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

/** A folder of the system, or the symlink that stands for it. */
export interface SystemFolder {
  path: string;
  /** Where the symlink leads; `null` for a folder. */
  target: string | null;
}

/** The folders of the system that there are. */
export function findSystemFolders(): SystemFolder[] {
  return folders.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return [{ path, target: stats.isSymbolicLink() ? readlinkSync(path) : null }];
  });
}

/**
 * The files and folders in `/etc` that not everybody may read, but this user: keys, password hashes. Commands run as this
 * user, perhaps as root.
 */
export function findPrivateSystemFiles(folder = "/etc"): { path: string; isFolder: boolean }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Not even this user may look into it.
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
