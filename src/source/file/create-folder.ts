import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and the missing ones above it, with the rights `mode`. In some folders, such as /proc, nothing can be created and
 * the system answers that the folder does not exist; Node's recursive `mkdirSync` then tries forever.
 *
 * @throws the error of the system.
 */
export function createFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) createFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

/** Returns the nearest existing part of `path` that is not a folder, so that `path` cannot be one; `undefined` = none. */
export function findObstacle(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() ? undefined : path;
  const above = dirname(path);
  return above === path ? undefined : findObstacle(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
