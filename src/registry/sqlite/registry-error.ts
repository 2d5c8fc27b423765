import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CadreError } from "../../errors.ts";
import { DamagedContent } from "../damaged-content.ts";
import { errorMessage } from "../../error-message.ts";

/** The primary result codes of SQLite that have their own messages. */
const codes = {
  error: 1,
  busy: 5,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Reports whether SQLite gave up waiting for another process. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === codes.busy;
}

/** Reports whether the operation failed for lack of write access. */
export function isMissingRight(error: unknown): boolean {
  const { code = "" } = (error ?? {}) as { code?: string };
  const result = resultCode(error);
  if (result === codes.readonly || result === codes.cannotOpen) return true;
  return ["EACCES", "EPERM", "EROFS"].includes(code);
}

/** Converts an error to one that states the problem of the registry at `path` and what to do. */
export function toRegistryError(error: unknown, path: string): CadreError {
  if (error instanceof CadreError) return error;
  const message = errorMessage(error);
  return new CadreError("registry-unavailable", `${describe(error, path)} (${message})`, {
    details: { path },
    cause: error,
  });
}

/** The error for a database at `path` that belongs to another program. */
export function foreignDatabase(path: string): CadreError {
  const message = `The registry ${path} is an SQLite database, but not one of Cadre's. It is unchanged: move it away, or set CADRE_STATE_DIR to another folder.${blameLog(path)}`;
  return new CadreError("registry-unavailable", message, { details: { path } });
}

/** The error for a damaged database at `path`; `how` names the symptom. */
export function damagedDatabase(path: string, how: string): CadreError {
  const message = `${damaged(path)} (${how})`;
  return new CadreError("registry-unavailable", message, { details: { path } });
}

/** SQLite applies any log beside a database, even that of another database, which hides the tables. */
function blameLog(path: string): string {
  const log = `${path}-wal`;
  const isThere = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return isThere ? ` If it was a registry before, the log ${log} belongs to another database.` : "";
}

function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // The low byte is the primary code; the other bytes extend it.
  return typeof code === "number" ? code & 0xff : undefined;
}

const kept = "Everything recorded so far is kept";

function damaged(path: string): string {
  return `The registry ${path} is damaged. It is unchanged: restore a copy, or move it away to start with an empty one.`;
}

function describe(error: unknown, path: string): string {
  if (error instanceof DamagedContent) return damaged(path);
  const code = resultCode(error) ?? 0;
  switch (code) {
    case codes.full:
      return `The disk that holds the registry ${path} is full. ${kept}: free some space, then continue with \`cadre resume\`.`;
    case codes.io:
      return `The disk that holds the registry ${path} reports an error; it may be full, over its quota or failing. ${kept}: when the disk is writable again, continue with \`cadre resume\`.`;
    case codes.busy:
      return `Another process keeps the registry ${path} locked. Try again when it is done, or set CADRE_STATE_DIR to another folder.`;
    case codes.notADatabase:
      return `The registry ${path} is not an SQLite database, or its beginning is damaged. It is unchanged: restore a copy, or move it away to start with an empty one.`;
    // The schema was checked when the registry was opened, so these errors come from damaged pages.
    case codes.error:
    case codes.corrupt:
      return damaged(path);
    case codes.readonly:
      return describeReadOnly(path);
    default:
      return isAllowed(path, constants.R_OK)
        ? `The registry ${path} cannot be opened or written. Check that its folder exists and is writable, or set CADRE_STATE_DIR to another folder.`
        : `This user has no permission to read the registry ${path}. Change its owner or permissions, or set CADRE_STATE_DIR to another folder.`;
  }
}

function describeReadOnly(path: string): string {
  const isWritable = isAllowed(path, constants.W_OK) && isAllowed(dirname(path), constants.W_OK);
  if (isWritable) return damaged(path);
  return `The registry ${path} can be read, but not written: its file, folder or file system is read-only. Make it writable, or set CADRE_STATE_DIR to another folder.`;
}

function isAllowed(path: string, mode: number): boolean {
  if (!existsSync(path)) return true;
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
