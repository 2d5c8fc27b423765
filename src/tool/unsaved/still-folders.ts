import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CadreError } from "../../errors.ts";

/** A file, and the folder below which the folders on its path must not change. */
interface GuardedPath {
  /** Absolute, without symlinks. */
  path: string;
  /** A folder above the path; absolute, without symlinks. */
  root: string;
  signal: AbortSignal;
}

/**
 * Two changes of a folder within one tick of the kernel's clock get the same time, so a folder must have been unchanged for
 * longer. In milliseconds.
 */
const stillMs = 50;
const attempts = 20;

/**
 * Calls `work`, in which another program opens `path`, and returns its result if no folder on the path changed in the meantime.
 * Otherwise the path may have led elsewhere: through a symlink that replaced a folder for a moment. A folder's change time cannot
 * be set back.
 *
 * @throws CadreError `tool-failed` when the folders keep changing.
 */
export async function inStillFolders<Value>(
  { path, root, signal }: GuardedPath,
  work: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    signal.throwIfAborted();
    const before = await noteFolders(path, root);
    if (before !== undefined && Date.now() - before.changedMs > stillMs) {
      const value = await work();
      if ((await noteFolders(path, root))?.state === before.state) return value;
    }
    await wait(stillMs, undefined, { signal });
  }
  const message = `The folders of ${path} kept changing while the editor was asked for it. Call again.`;
  throw new CadreError("tool-failed", message);
}

/**
 * Returns the identities and change times of the folders from `root` to the folder of `path`; `undefined` when one of them is not
 * a folder.
 */
async function noteFolders(
  path: string,
  root: string,
): Promise<{ state: string; changedMs: number } | undefined> {
  const states: string[] = [];
  let changedMs = 0;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stats = await lstat(folder, { bigint: true }).catch(() => undefined);
    if (stats?.isDirectory() !== true) return undefined;
    states.push(`${stats.dev}:${stats.ino}:${stats.ctimeNs}`);
    changedMs = Math.max(changedMs, Number(stats.ctimeMs));
    if (folder === root || dirname(folder) === folder) break;
  }
  return { state: states.join(" "), changedMs };
}
