import { statSync } from "node:fs";
import type { InstructionFiles } from "./instruction-file.ts";
import { type InstructionFolders, readInstructionFiles } from "./read-instruction-files.ts";

/** Reads instruction files through a cache of this process. */
export type ReadInstructions = (folders: InstructionFolders) => Promise<InstructionFiles>;

/** The maximum number of cached folders. Each run with a worktree has its own folder. */
const maxFolders = 100;

/**
 * How long a file must have been unchanged when it was read, in milliseconds. A file that changed more recently could change
 * again without a new time, because file systems round times.
 */
const settledMs = 50;

interface Entry {
  files: Promise<InstructionFiles>;
  isComplete: boolean;
  /** The state of each path before it was read. */
  stamps: Map<string, string>;
  isSettled: boolean;
}

/**
 * Creates a reader that reads a folder's files again only after one of them has changed, appeared or disappeared, as `stat`
 * reports. Concurrent callers share one reading.
 */
export function createInstructionCache(
  read: typeof readInstructionFiles = readInstructionFiles,
): ReadInstructions {
  const entries = new Map<string, Entry>();
  return async (folders) => {
    const key = JSON.stringify([folders.workspace, folders.home]);
    const known = entries.get(key);
    if (known !== undefined && isCurrent(known)) return await known.files;
    entries.delete(key);
    const entry = begin(folders, read);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxFolders && oldest !== undefined) entries.delete(oldest);
    try {
      return await entry.files;
    } catch (error) {
      if (entries.get(key) === entry) entries.delete(key);
      throw error;
    }
  };
}

function begin(folders: InstructionFolders, read: typeof readInstructionFiles): Entry {
  const stamps = new Map<string, string>();
  const watch = (path: string): void => {
    const { stamp, changedAt } = readStamp(path);
    stamps.set(path, stamp);
    if (changedAt > Date.now() - settledMs) entry.isSettled = false;
  };
  const entry: Entry = {
    files: Promise.resolve().then(() => read(folders, watch)),
    isComplete: false,
    stamps,
    isSettled: true,
  };
  entry.files = entry.files.finally(() => (entry.isComplete = true));
  return entry;
}

function isCurrent({ isComplete, isSettled, stamps }: Entry): boolean {
  if (!isComplete) return true;
  if (!isSettled) return false;
  for (const [path, stamp] of stamps) if (readStamp(path).stamp !== stamp) return false;
  return true;
}

/** Returns the state of a path in a comparable form, and when it changed (epoch milliseconds). */
function readStamp(path: string): { stamp: string; changedAt: number } {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { stamp: "missing", changedAt: 0 };
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return { stamp: [dev, ino, size, mtimeMs, ctimeMs].join(" "), changedAt: ctimeMs };
  } catch {
    return { stamp: "not accessible", changedAt: 0 };
  }
}
