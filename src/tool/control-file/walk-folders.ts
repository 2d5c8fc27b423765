import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** A folder to visit, with the state of its parents. */
export interface PendingFolder<State> {
  /** Absolute. */
  path: string;
  state: State;
}

/** The result of reading a folder's entries. */
export interface FolderReading<State, Value> {
  /** The subfolders to visit. */
  folders: PendingFolder<State>[];
  value: Value;
}

/** A repeatable walk that reads only folders that have changed. */
export interface FolderWalk<State, Value> {
  walk(root: PendingFolder<State>, visit: (path: string, value: Value) => void): Promise<void>;
}

type FolderRecord<State, Value> = FolderReading<State, Value> & {
  /** The folder's inode and change time; no program can set the latter. */
  stamp: string;
};

/** A folder that changed this recently may change again with the same time, in milliseconds. */
const unsettledMs = 100;
/** The number of folders visited before other work gets a turn. */
const foldersAtOnce = 1000;

/**
 * Creates a walk that calls `read` only for new and changed folders. `read` must depend on nothing else. The walk skips folders
 * that are gone or unreadable.
 */
export function createFolderWalk<State, Value>(
  read: (folder: PendingFolder<State>, entries: readonly Dirent[]) => FolderReading<State, Value>,
): FolderWalk<State, Value> {
  let records = new Map<string, FolderRecord<State, Value>>();
  const readFolder = (folder: PendingFolder<State>): FolderRecord<State, Value> | undefined => {
    try {
      const stats = lstatSync(folder.path, { bigint: true, throwIfNoEntry: false });
      if (stats?.isDirectory() !== true) return undefined;
      const stamp = `${stats.ino}:${stats.ctimeNs}`;
      const before = records.get(folder.path);
      if (before?.stamp === stamp) return before;
      return { ...read(folder, readdirSync(folder.path, { withFileTypes: true })), stamp };
    } catch {
      return undefined;
    }
  };
  return {
    async walk(root, visit) {
      const now: typeof records = new Map();
      const pending = [root];
      let count = 0;
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        count += 1;
        if (count % foldersAtOnce === 0) await nextTurn();
        const record = readFolder(next);
        if (record === undefined) continue;
        if (Date.now() - changedAt(record.stamp) > unsettledMs) now.set(next.path, record);
        pending.push(...record.folders);
        visit(next.path, record.value);
      }
      records = now;
    },
  };
}

/** In epoch milliseconds. */
function changedAt(stamp: string): number {
  return Number(stamp.slice(stamp.indexOf(":") + 1)) / 1e6;
}

/** The maximum number of remembered walks, one per folder. */
export const rememberedWalks: number = 8;
