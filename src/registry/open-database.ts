import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CadreError } from "../errors.ts";
import { checkSchema, type Inspection } from "./check-schema.ts";
import { damagedDatabase, isMissingRight, toRegistryError } from "./registry-error.ts";
import { migrations } from "./schema.ts";

/** How long a write waits for another process's write before it gives up and is tried again later. */
const busyMs = 1000;
/**
 * How long one waits that nobody tries again. Two processes at full work leave few gaps; on one core, a second was not
 * enough.
 */
const patientMs = 10_000;

/**
 * Opens (and where needed creates or migrates) the database at `path`, journalled ahead and synchronised fully. One that may
 * not be written is opened to be read.
 *
 * @throws CadreError `registry-unavailable` when it cannot be opened or is damaged, `registry-newer` when a later
 * version of Cadre wrote it. Neither changes the file.
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

/** Does `work` once, waiting longer for other processes' writes: for what is not tried again when they hold it up. */
export function patiently<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec(`PRAGMA busy_timeout = ${patientMs}`);
  try {
    return work();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}

/** Does `work`; a database with which that fails is not left open. */
export function orClose<Value>(database: DatabaseSync, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Does `work` in one transaction that has the write lock from its start: all of it happens, or none. */
export function transact<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    // A full disk may have rolled the transaction back already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Whether there is a database; what SQLite would wait for, or would throw away, is refused. */
function checkFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? "a folder" : "not a regular file";
    const message = `The registry ${path} is ${kind}; expected a file, or nothing. Move it away, or set CADRE_STATE_DIR to another folder.`;
    throw new CadreError("registry-unavailable", message, { details: { path } });
  }
  if (stats.size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw damagedDatabase(path, "the file is empty, but not the log beside it");
  }
  return stats.size > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Loaded here and not above: an older Node has no SQLite, and would fail before it could be told so. */
export function createDatabase(...given: ConstructorParameters<typeof DatabaseSync>): DatabaseSync {
  const sqlite = process.getBuiltinModule("node:sqlite");
  return new sqlite.DatabaseSync(...given);
}

function openToWrite(path: string, isThere: boolean): DatabaseSync {
  // First without the right to write: closing a connection that has it moves the write-ahead log into the file.
  if (isThere) openChecked(path, path).close();
  else prepareFolder(dirname(path));
  const database = createDatabase(path);
  return orClose(database, () => patiently(database, () => migrate(database, path)));
}

function openToRead(path: string): DatabaseSync {
  try {
    return refuseOlder(openChecked(path, path), path);
  } catch (error) {
    if (!isMissingRight(error) || sizeOf(`${path}-wal`) > 0) throw error;
    // There is nobody to share it with, so it needs no locks, which are files that cannot be made here.
    const location = pathToFileURL(path);
    location.searchParams.set("immutable", "1");
    return refuseOlder(openChecked(location, path), path);
  }
}

function openChecked(location: string | URL, path: string): DatabaseSync {
  const database = createDatabase(location, { readOnly: true });
  return orClose(database, () => {
    patiently(database, () => checkSchema(inspect(database), path));
    return database;
  });
}

function refuseOlder(database: DatabaseSync, path: string): DatabaseSync {
  return orClose(database, () => {
    const { version } = inspect(database);
    if (version === migrations.length) return database;
    const message = `The registry ${path} was written by an older Cadre (schema version ${version}) and has to be brought up to date once, which it must be writable for.`;
    throw new CadreError("registry-unavailable", message, { details: { path } });
  });
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function migrate(database: DatabaseSync, path: string): DatabaseSync {
  checkSchema(inspect(database), path);
  // What is deleted can be given back to the file system then. It can be said before there is anything only.
  if (inspect(database).tables.length === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  if (inspect(database).version === migrations.length) return database;
  transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    const { version } = inspect(database);
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
  return database;
}

/** In one statement, since another process may be migrating. */
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
