import { statSync } from "node:fs";
import { CadreError } from "../../errors.ts";

/** Detects that the files of an open database were deleted or replaced. */
export interface DatabaseFiles {
  /**
   * Throws when a file of the database was deleted or replaced. SQLite would then write into an unlinked file.
   *
   * @throws CadreError `registry-unavailable`.
   */
  check(): void;
}

/**
 * Remembers the files of the open database at `path`. It never opens the files, because closing them would drop the locks that
 * SQLite holds on them in this process.
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
    // SQLite creates this file at the first write and keeps it while any process has the database open.
    checkFile(`${path}-wal`);
  };
  check();
  return { check };
}

/** Returns an identity that differs between a file and its replacement. */
function identify(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}/${stats.ino}`;
}

function wasMoved(file: string, isThere: boolean): CadreError {
  const what = isThere ? "replaced by another file" : "deleted or moved away";
  const message = `The registry file ${file} was ${what} while it was in use. Nothing more is written into the old file. Put it back and continue with \`cadre resume\`, or start again.`;
  return new CadreError("registry-unavailable", message, { details: { path: file } });
}
