import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CadreError } from "../../errors.ts";

/** A file, and the folder in which nothing above it may change. */
interface GuardedPath {
  /** Absolute, without symlinks. */
  path: string;
  /** A folder above the path; absolute, without symlinks. */
  root: string;
  signal: AbortSignal;
}

/** Two changes of a folder within the kernel's clock tick leave one time, so a folder must have been still for longer. */
const stillMs = 50;
const attempts = 20;

/**
 * Does `work`, in which another program opens `path`, and returns its result if no folder on the way was changed meanwhile. Otherwise
 * the path may have led elsewhere: through a symlink that was put in the place of a folder, and taken away again. A folder's change
 * time cannot be set back.
 *
 * @throws CadreError `tool-failed` when the folders change again and again.
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
  const message = `The folders of ${path} were changed again and again while the editor was asked for it. Call again.`;
  throw new CadreError("tool-failed", message);
}

/** The identities and change times of the folders from `root` down to that of `path`; `undefined` when one is no folder. */
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
