import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withLongWait } from "./open-database.ts";

/** The number of pages that one transaction moves: a few megabytes. Other writers wait only briefly. */
const pagesAtOnce = 1000;

/** The value of `PRAGMA auto_vacuum` that lets free pages be returned in portions. */
const incremental = 2;

/**
 * Returns the space of deleted rows to the file system. Other processes can read and write in the meantime. A database of an
 * earlier version is rewritten once, which temporarily needs its size again on the disk.
 */
export async function vacuum(database: DatabaseSync): Promise<void> {
  const read = (pragma: string): number =>
    Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  if (read("freelist_count") > 0 && read("auto_vacuum") !== incremental) {
    withLongWait(database, () => database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
  }
  for (let free = read("freelist_count"), before = Infinity; free > 0 && free < before;) {
    withLongWait(database, () => database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
    // Lets this process's heartbeat run in between.
    await nextTurn();
    [before, free] = [free, read("freelist_count")];
  }
  // The file shrinks only now, unless a reader still holds its old content.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Returns the size in bytes of the database at `path` and its write-ahead log. */
export function sizeOfDatabase(path: string): number {
  const sizes = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}
