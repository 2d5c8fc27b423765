import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CadreError } from "../errors.ts";
import { toOwner } from "./leases.ts";
import { createDatabase, orClose } from "./open-database.ts";
import { defaultLeaseTimes, isAlive } from "./owner.ts";
import { isBusy, toRegistryError } from "./registry-error.ts";

/** A registry that nobody else can open. */
export interface HeldRegistry {
  /** Writes all that is committed in it to a new file, durably. */
  copyTo(path: string): void;
  /** Deletes its journal. */
  remove(): void;
  /** Lets others open it again. */
  release(): void;
}

/** How long other processes are given to close it, in milliseconds. */
const waitMs = 5000;

/**
 * Takes hold of the registry at `path`.
 *
 * @throws CadreError `run-owned` while another process has it open or owns runs in it; `registry-unavailable` when it is
 * not there, not to be written, or damaged. It is left as it was.
 */
export function holdRegistry(path: string): HeldRegistry {
  const database = open(path);
  return {
    copyTo(copy) {
      attempt(path, () => database.prepare("VACUUM INTO ?").run(copy));
      const file = openSync(copy, "r+");
      fsyncSync(file);
      closeSync(file);
    },
    remove: () => rmSync(path, { force: true }),
    release: () => database.close(),
  };
}

function open(path: string): DatabaseSync {
  // As it is opened by its name alone, SQLite would make a file that is gone.
  const address = new URL("?mode=rw", pathToFileURL(path));
  const database = attempt(path, () => createDatabase(address));
  return orClose(database, () =>
    attempt(path, () => {
      // In this mode the lock is kept between transactions, and nobody else can have the file open.
      database.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA locking_mode = EXCLUSIVE`);
      database.exec("BEGIN EXCLUSIVE; COMMIT");
      requireUnowned(database, path);
      return database;
    }),
  );
}

/** A process on another machine may not be seen by the locks of the file system. */
function requireUnowned(database: DatabaseSync, path: string): void {
  const rows = database.prepare("SELECT id, host, pid, started_at, seen_at FROM owners").all();
  const now = Date.now();
  const row = rows.find((one) =>
    isAlive(toOwner(one), now - Number(one["seen_at"]), defaultLeaseTimes),
  );
  if (row === undefined) return;
  const { pid, host } = toOwner(row);
  const message = `The process ${pid} on ${host} owns runs in the registry ${path}.`;
  throw new CadreError("run-owned", message);
}

function attempt<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw toRegistryError(error, path);
    const message = `Another process has the registry ${path} open.`;
    throw new CadreError("run-owned", message, { cause: error });
  }
}
