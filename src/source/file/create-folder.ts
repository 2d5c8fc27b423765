import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isFolder } from "./is-folder.ts";

/**
 * Creates a folder and its missing parents, with the mode `mode`. Some folders, such as /proc, allow no new entries and report that
 * the folder does not exist. Node's recursive `mkdirSync` then retries forever.
 *
 * @throws the system's error.
 */
export function createFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) createFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

/** Returns the file in place of `path` or of a parent folder, because of which `path` cannot be a folder; `undefined` = none. */
export function findObstacle(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() ? undefined : path;
  const above = dirname(path);
  return above === path ? undefined : findObstacle(above);
}
