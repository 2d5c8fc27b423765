import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { createStateFolder } from "../../config/state-folder.ts";
import { CadreError } from "../../errors.ts";
import { checkTables, type Inspection } from "./check-schema.ts";
import { damagedDatabase, isMissingRight, toRegistryError } from "./registry-error.ts";
import { migrations } from "./schema.ts";

/** How long a write that is retried later waits for another process's write, in milliseconds. */
const busyMs = 1000;
/** How long a write that is not retried waits, in milliseconds. A second was too short with two busy processes on one core. */
const patientMs = 10_000;

/**
 * Opens the database at `path`, and creates or migrates it where needed. It uses a write-ahead log and full synchronisation. A
 * read-only file is opened read-only.
 *
 * @throws CadreError `registry-unavailable` when it cannot be opened or is damaged, `registry-newer` when a newer Cadre wrote it.
 * The file is then unchanged.
 */
export function openDatabase(path: string): DatabaseSync {
  try {
    const isThere = checkFile(path);
    try {
      return openToWrite(path, isThere);
    } catch (error) {
      if (!isThere || !isMissingRight(error)) throw error;
      return openToRead(path);
    }
  } catch (error) {
    throw toRegistryError(error, path);
  }
}

/** Runs `work` with a longer wait for the writes of other processes. Use it for writes that are not retried. */
export function withLongWait<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec(`PRAGMA busy_timeout = ${patientMs}`);
  try {
    return work();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}

/** Runs `work`; closes the database when it throws. */
export function orClose<Value>(database: DatabaseSync, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs `work` in one transaction, which takes the write lock at its start and is rolled back when `work` throws. */
export function transact<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // A full disk may already have rolled the transaction back.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Reports whether the file exists and has content. Throws for a file that SQLite would block on or overwrite. */
function checkFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? "a folder" : "not a regular file";
    const message = `The registry ${path} is ${kind}; expected a file, or nothing. Move it away, or set CADRE_STATE_DIR to another folder.`;
    throw new CadreError("registry-unavailable", message, { details: { path } });
  }
  if (stats.size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw damagedDatabase(path, "the file is empty, but its write-ahead log is not");
  }
  return stats.size > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Loads SQLite here instead of importing it: an older Node has none and would fail before the version check can report it. */
export function createDatabase(...given: ConstructorParameters<typeof DatabaseSync>): DatabaseSync {
  const sqlite = process.getBuiltinModule("node:sqlite");
  return new sqlite.DatabaseSync(...given);
}

function openToWrite(path: string, isThere: boolean): DatabaseSync {
  // Checks over a read-only connection, because closing a writable one moves the write-ahead log into the file.
  if (isThere) openChecked(path, path).close();
  else createStateFolder(dirname(path));
  const database = createDatabase(path);
  return orClose(database, () => withLongWait(database, () => migrate(database, path)));
}

function openToRead(path: string): DatabaseSync {
  try {
    return refuseOlder(openChecked(path, path), path);
  } catch (error) {
    if (!isMissingRight(error) || sizeOf(`${path}-wal`) > 0) throw error;
    // The lock files cannot be created here. No process can write this database, so it needs no locks.
    const location = pathToFileURL(path);
    location.searchParams.set("immutable", "1");
    return refuseOlder(openChecked(location, path), path);
  }
}

function openChecked(location: string | URL, path: string): DatabaseSync {
  const database = createDatabase(location, { readOnly: true });
  return orClose(database, () => {
    withLongWait(database, () => checkTables(inspect(database), path));
    return database;
  });
}

function refuseOlder(database: DatabaseSync, path: string): DatabaseSync {
  return orClose(database, () => {
    const { version } = inspect(database);
    if (version === migrations.length) return database;
    const message = `The registry ${path} was written by an older Cadre (schema version ${version}) and must be migrated once. Make it writable.`;
    throw new CadreError("registry-unavailable", message, { details: { path } });
  });
}

function migrate(database: DatabaseSync, path: string): DatabaseSync {
  checkTables(inspect(database), path);
  // Lets pruning return space to the file system. SQLite accepts this only in an empty database.
  if (inspect(database).tables.length === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  if (inspect(database).version === migrations.length) return database;
  transact(database, () => {
    // Another process may have migrated the database while this one waited for the lock.
    const { version } = inspect(database);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
  return database;
}

/** Reads both in one statement, because another process may be migrating. */
function inspect(database: DatabaseSync): Inspection {
  const query = `
    SELECT user_version AS version, (SELECT json_group_array(name) FROM sqlite_schema WHERE type = 'table') AS tables
      FROM pragma_user_version`;
  const row = database.prepare(query).get();
  return {
    version: Number(row?.["version"]),
    tables: JSON.parse(String(row?.["tables"])) as string[],
  };
}
