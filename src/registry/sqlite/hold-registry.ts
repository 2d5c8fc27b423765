import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CadreError } from "../../errors.ts";
import { toOwner } from "./leases.ts";
import { createDatabase, orClose } from "./open-database.ts";
import { defaultLeaseTimes, isOwnerAlive } from "../owner.ts";
import { isBusy, toRegistryError } from "./registry-error.ts";

/** A registry locked against every other process. */
export interface HeldRegistry {
  /** Writes all committed data to a new file, durably. */
  copyTo(path: string): void;
  /** Deletes its file. */
  remove(): void;
  /** Unlocks the registry. */
  release(): void;
}

/** How long to wait for other processes to close the registry, in milliseconds. */
const waitMs = 5000;

/**
 * Locks the registry at `path` exclusively.
 *
 * @throws CadreError `run-owned` while another process has it open or owns runs in it; `registry-unavailable` when it is missing,
 * not writable or damaged. The file is then unchanged.
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
  // With the plain path, SQLite would create a missing file.
  const address = new URL("?mode=rw", pathToFileURL(path));
  const database = attempt(path, () => createDatabase(address));
  return orClose(database, () =>
    attempt(path, () => {
      // This mode keeps the lock between transactions, so no other process can have the file open.
      database.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA locking_mode = EXCLUSIVE`);
      database.exec("BEGIN EXCLUSIVE; COMMIT");
      requireUnowned(database, path);
      return database;
    }),
  );
}

/** Locks on a network file system may not cover a process on another machine, so its lease is checked, too. */
function requireUnowned(database: DatabaseSync, path: string): void {
  const rows = database.prepare("SELECT id, host, pid, started_at, seen_at FROM owners").all();
  const now = Date.now();
  const row = rows.find((one) =>
    isOwnerAlive(toOwner(one), now - Number(one["seen_at"]), defaultLeaseTimes),
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
