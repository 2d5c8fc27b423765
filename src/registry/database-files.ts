import { statSync } from "node:fs";
import { CadreError } from "../errors.ts";

/** Knows the files of an open database. */
export interface DatabaseFiles {
  /**
   * Whoever deletes or replaces a file of an open database makes SQLite write into a file that has no name any more.
   *
   * @throws CadreError `registry-unavailable` when that happened.
   */
  check(): void;
}

/**
 * Remembers the files of the database at `path`, which is open. They are never opened here: closing them again would
 * drop the locks that SQLite holds on them in this process.
 */
export function rememberFiles(path: string): DatabaseFiles {
  const known = new Map<string, string>();

  function checkFile(file: string): void {
    const before = known.get(file);
    const now = identify(file);
    if (before !== undefined && before !== now) throw wasMoved(file, now !== undefined);
    if (now !== undefined) known.set(file, now);
  }

  const check = (): void => {
    checkFile(path);
    // SQLite creates this one at the first write, and keeps it as long as anybody has the database open.
    checkFile(`${path}-wal`);
  };
  check();
  return { check };
}

/** What tells a file from another one in its place. */
function identify(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}/${stats.ino}`;
}

function wasMoved(file: string, isThere: boolean): CadreError {
  const what = isThere ? "replaced by another file" : "deleted or moved away";
  const message = `The registry file ${file} was ${what} while it was in use. Nothing more is written into the old file. Put it back and continue with \`cadre resume\`, or start again.`;
  return new CadreError("registry-unavailable", message, { details: { path: file } });
}
