import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { isFolder } from "./is-folder.ts";

/** A folder to watch, which may be missing. */
export interface WatchedFolder {
  /** An absolute path. */
  path: string;
  /** Whether to watch subfolders too. */
  isDeep: boolean;
}

/** The time without changes before they are reported, in milliseconds. An editor makes several changes to save one file. */
const settleMs = 100;

/**
 * Calls `onChange` shortly after a change in `folders`, or after one of them appears or disappears. Does not keep
 * the process alive. Returns the function that stops watching.
 */
export function watchFolders(folders: readonly WatchedFolder[], onChange: () => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  function listen(path: string, { names, isDeep }: WatchPlan): void {
    const watcher = watch(path, { recursive: isDeep, persistent: false }, (_, name) => {
      const first = name?.split(/[/\\]/)[0];
      if (names === null || first === undefined || names.has(first)) scheduleReport();
    });
    // The folder was removed, or there are too many watchers: start again with the folders that exist.
    watcher.on("error", scheduleReport);
    watchers.push(watcher);
  }

  function arm(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
    for (const [path, plan] of planWatchers(folders)) {
      try {
        listen(path, plan);
      } catch (error) {
        process.emitWarning(`Changes in ${path} are not noticed: ${String(error)}`);
      }
    }
  }

  function scheduleReport(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Armed first, so that no later change is missed.
      arm();
      onChange();
    }, settleMs).unref();
  }

  arm();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** The entries to watch in an existing folder. */
interface WatchPlan {
  /** The names of the entries; `null` means all. */
  names: Set<string> | null;
  isDeep: boolean;
}

/** Plans the watchers. For a missing folder, the nearest existing parent is watched for its creation. */
function planWatchers(folders: readonly WatchedFolder[]): Map<string, WatchPlan> {
  const plans = new Map<string, WatchPlan>();
  const add = (path: string, name: string | null, isDeep: boolean): void => {
    const before = plans.get(path) ?? { names: new Set<string>(), isDeep: false };
    const names = name === null || before.names === null ? null : new Set([...before.names, name]);
    plans.set(path, { names, isDeep: before.isDeep || isDeep });
  };
  for (const { path, isDeep } of folders) {
    let [here, missing] = [path, ""];
    while (!isFolder(here) && dirname(here) !== here) {
      [here, missing] = [dirname(here), basename(here)];
    }
    if (missing === "") add(here, null, isDeep);
    else add(here, missing, false);
    // The parent reports the removal of the folder.
    if (missing === "" && dirname(here) !== here) add(dirname(here), basename(here), false);
  }
  return plans;
}
