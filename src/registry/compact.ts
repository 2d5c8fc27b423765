import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { patiently } from "./open-database.ts";

/** So many pages are moved at once: a few megabytes, for which others that write can wait. */
const pagesAtOnce = 1000;

/** What `PRAGMA auto_vacuum` says of a database whose free pages can be given back a few at a time. */
const incremental = 2;

/**
 * Gives the space that deleted rows left back to the file system. Others can read and write meanwhile. A database of an earlier
 * version is written anew once, which needs as much space again.
 */
export async function compact(database: DatabaseSync): Promise<void> {
  const read = (pragma: string): number =>
    Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  if (read("freelist_count") > 0 && read("auto_vacuum") !== incremental) {
    patiently(database, () => database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
  }
  for (let free = read("freelist_count"), before = Infinity; free > 0 && free < before;) {
    patiently(database, () => database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
    // This process has to say that it is alive in between.
    await nextTurn();
    [before, free] = [free, read("freelist_count")];
  }
  // Only now the file becomes shorter, unless somebody still reads what it was before.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** The bytes that the database at `path` takes, its write-ahead log included. */
export function sizeOfDatabase(path: string): number {
  const sizes = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}
