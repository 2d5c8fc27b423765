import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** A folder to look at, with what is known of it from the folders above. */
export interface PendingFolder<State> {
  /** Absolute. */
  path: string;
  state: State;
}

/** What was made of a folder's entries. */
export interface FolderReading<State, Value> {
  /** The folders in it to go on with. */
  folders: PendingFolder<State>[];
  value: Value;
}

/** Walks the same folders again and again, and reads those that changed. */
export interface FolderWalk<State, Value> {
  walk(root: PendingFolder<State>, visit: (path: string, value: Value) => void): Promise<void>;
}

type FolderRecord<State, Value> = FolderReading<State, Value> & {
  /** The folder's number and the time of its last change, which no program can set. */
  stamp: string;
};

/** A folder that changed within this time may change again without a later time, in milliseconds. */
const unsettledMs = 100;
/** Folders looked at before other work has its turn. */
const foldersAtOnce = 1000;

/**
 * Makes a walk that asks `read` for what is in a folder only when it is new or changed. `read` must depend on nothing
 * else. Folders that are gone, or closed to this user, are passed over.
 */
export function createFolderWalk<State, Value>(
  read: (folder: PendingFolder<State>, entries: readonly Dirent[]) => FolderReading<State, Value>,
): FolderWalk<State, Value> {
  let records = new Map<string, FolderRecord<State, Value>>();
  const look = (folder: PendingFolder<State>): FolderRecord<State, Value> | undefined => {
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
        const record = look(next);
        if (record === undefined) continue;
        if (Date.now() - changedAt(record.stamp) > unsettledMs) now.set(next.path, record);
        pending.push(...record.folders);
        visit(next.path, record.value);
      }
      records = now;
    },
  };
}

/** In milliseconds since 1970. */
function changedAt(stamp: string): number {
  return Number(stamp.slice(stamp.indexOf(":") + 1)) / 1e6;
}

const mostRemembered = 8;

/** Keeps what is made for a key; of many, those that were asked for last. */
export function createRecent<Value>(make: (key: string) => Value): (key: string) => Value {
  const kept = new Map<string, Value>();
  return (key) => {
    const value = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > mostRemembered && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
