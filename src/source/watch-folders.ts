import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** A folder to watch, which need not exist. */
export interface WatchedFolder {
  /** Absolute. */
  path: string;
  /** Folders below it are watched as well. */
  isDeep: boolean;
}

/** How long changes may follow each other before they are told of: an editor makes several to save one file. */
const settleMs = 100;

/**
 * Calls `onChange` a moment after something in `folders` changed, also when one of them comes or goes. It keeps no process
 * alive. Returns the way to stop.
 */
export function watchFolders(folders: readonly WatchedFolder[], onChange: () => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  function listen(path: string, { names, isDeep }: Ear): void {
    const watcher = watch(path, { recursive: isDeep, persistent: false }, (_, name) => {
      const first = name?.split(/[/\\]/)[0];
      if (names === null || first === undefined || names.has(first)) settle();
    });
    // It was removed, or there are too many watchers: what there is now is looked at once more.
    watcher.on("error", settle);
    watchers.push(watcher);
  }

  function arm(): void {
    for (const watcher of watchers) watcher.close();
    watchers = [];
    for (const [path, ear] of planEars(folders)) {
      try {
        listen(path, ear);
      } catch (error) {
        process.emitWarning(`Changes in ${path} are not noticed: ${String(error)}`);
      }
    }
  }

  function settle(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // First, so that what changes from here on is heard.
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

/** What is listened for in a folder that exists. */
interface Ear {
  /** The entries that matter; `null` = all. */
  names: Set<string> | null;
  isDeep: boolean;
}

/** Of a folder that does not exist, the nearest one above it that does tells when it comes. */
function planEars(folders: readonly WatchedFolder[]): Map<string, Ear> {
  const ears = new Map<string, Ear>();
  const hear = (path: string, name: string | null, isDeep: boolean): void => {
    const before = ears.get(path) ?? { names: new Set<string>(), isDeep: false };
    const names = name === null || before.names === null ? null : new Set([...before.names, name]);
    ears.set(path, { names, isDeep: before.isDeep || isDeep });
  };
  for (const { path, isDeep } of folders) {
    let [here, missing] = [path, ""];
    while (!isFolder(here) && dirname(here) !== here) {
      [here, missing] = [dirname(here), basename(here)];
    }
    if (missing === "") hear(here, null, isDeep);
    else hear(here, missing, false);
    // That it goes is told by what it lies in.
    if (missing === "" && dirname(here) !== here) hear(dirname(here), basename(here), false);
  }
  return ears;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
