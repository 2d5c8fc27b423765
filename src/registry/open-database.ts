import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CadreError } from "../errors.ts";
import { migrations } from "./schema.ts";

/** How long a write waits for another process's write before it gives up and is tried again later. */
const busyMs = 1000;
/**
 * How long one waits that nobody tries again. Two processes at full work leave few gaps; on one core, a second was not
 * enough.
 */
const patientMs = 10_000;

/**
 * Opens (and where needed creates or migrates) the database at `path`, journalled ahead and synchronised fully.
 *
 * @throws CadreError `registry-unavailable` when it cannot be opened or is damaged, `registry-newer` when a later
 * version of Cadre wrote it. Neither changes the file.
 */
export function openDatabase(path: string): DatabaseSync {
  try {
    prepareFolder(dirname(path));
    const database = new DatabaseSync(path);
    orClose(database, () => patiently(database, () => migrate(database, path)));
    return database;
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

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const { current, tables } = inspect(database);
  if (current === 0 && tables > 0) throw new CadreError("registry-unavailable", foreign(path));
  if (current > migrations.length) {
    throw new CadreError(
      "registry-newer",
      `The registry ${path} has schema version ${current}; this Cadre reads up to ${migrations.length}. ` +
        "Use the newer Cadre that wrote it, or point CADRE_STATE_DIR at another folder.",
    );
  }
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  if (current === migrations.length) return;
  transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    for (const migration of migrations.slice(schemaVersion(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
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

function schemaVersion(database: DatabaseSync): number {
  return inspect(database).current;
}

/** In one statement, since another process may be migrating. */
function inspect(database: DatabaseSync): { current: number; tables: number } {
  const query =
    "SELECT user_version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_user_version";
  const row = database.prepare(query).get();
  return { current: Number(row?.["user_version"]), tables: Number(row?.["tables"]) };
}

function foreign(path: string): string {
  return `The registry ${path} is an SQLite database, but not one of Cadre's. It was left as it is: move it away, or set CADRE_STATE_DIR to another folder.`;
}

const sqliteError = 1;
const sqliteFull = 13;
const sqliteBusy = 5;
const damaged: ReadonlySet<number> = new Set([11, 26]);

/** Whether SQLite gave up waiting for another process. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === sqliteBusy;
}

/** Says what is wrong with the registry at `path` and what to do about it. */
export function toRegistryError(error: unknown, path: string): CadreError {
  if (error instanceof CadreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new CadreError("registry-unavailable", `${describe(resultCode(error), path)} (${said})`, {
    details: { path },
    cause: error,
  });
}

function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // The low byte is the primary code; the rest says more precisely why.
  return typeof code === "number" ? code & 0xff : undefined;
}

function describe(code: number | undefined, path: string): string {
  if (code === sqliteFull) {
    return `The disk that holds the registry ${path} is full. Everything recorded so far is kept: free some space, then continue with \`cadre resume\`.`;
  }
  if (code === sqliteBusy) {
    return `Another process keeps the registry ${path} locked. Try again when it is done, or set CADRE_STATE_DIR to another folder.`;
  }
  if (code !== undefined && damaged.has(code)) {
    return `The registry ${path} is not a healthy SQLite database. It was left as it is: restore a copy, or move it away to start with an empty one.`;
  }
  if (code === sqliteError) return foreign(path);
  return `The registry ${path} cannot be opened or written. Check that its folder exists and is writable, or set CADRE_STATE_DIR to another folder.`;
}
