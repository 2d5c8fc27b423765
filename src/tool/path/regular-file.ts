import { createHash } from "node:crypto";
import { constants, readlinkSync, type Stats } from "node:fs";
import { lstat, open, readdir, realpath, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { CadreError } from "../../errors.ts";
import { systemErrorCode } from "./path-confinement.ts";

/** The size limit, in bytes, of files that are hashed and so can be edited and overwritten. */
export const trackedBytes: number = 20 * 1024 * 1024;

/**
 * Opens a resolved path for reading. Opens only this very file, only if it is a regular one, and never blocks on a pipe.
 *
 * @throws CadreError `tool-failed` when it does not exist, is not a regular file, or was replaced in the meantime.
 */
export async function openRegular(path: string): Promise<{ handle: FileHandle; stats: Stats }> {
  const before = await statusOf(path);
  if (before === undefined) throw await notFound(path);
  requireRegular(path, before);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const stats = await handle.stat();
    requireRegular(path, stats);
    await requireSamePlace(handle, path);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns the status of `path` itself, without following links; `undefined` when it does not exist. */
export async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(path, error);
  }
}

/** @throws CadreError `tool-failed` when `stats` belong to a folder, a pipe, a device or another special file. */
export function requireRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw new CadreError("tool-failed", `Expected a file; ${path} is a folder. Use LS to list it.`);
  }
  throw new CadreError("tool-failed", `Expected a regular file; ${path} is ${kindOf(stats)}.`);
}

/**
 * Verifies that the opened file is the checked one: a parent folder may have become a symlink in between.
 *
 * @throws CadreError `tool-failed` when it is another file.
 */
export async function requireSamePlace(handle: FileHandle, path: string): Promise<void> {
  if ((await positionOf(handle, path)) === path) return;
  throw new CadreError(
    "tool-failed",
    `${path} was replaced by a symlink while being opened; it was not changed.`,
  );
}

/** Reads a regular file of at most {@link trackedBytes}, and its SHA-256 in hex. */
export async function readWhole(
  path: string,
): Promise<{ content: Buffer; hash: string; mode: number }> {
  const { handle, stats } = await openRegular(path);
  try {
    if (stats.size > trackedBytes) {
      throw new CadreError(
        "tool-failed",
        `${path} has ${stats.size} bytes; files up to ${trackedBytes} can be edited. Use Bash.`,
      );
    }
    const content = await handle.readFile();
    return { content, hash: sha256(content), mode: stats.mode & 0o7777 };
  } finally {
    await handle.close();
  }
}

/** Returns the SHA-256 in hex. */
export function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

async function positionOf(handle: FileHandle, path: string): Promise<string> {
  if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${handle.fd}`);
  const [real, opened, named] = await Promise.all([realpath(path), handle.stat(), stat(path)]);
  return opened.ino === named.ino && opened.dev === named.dev ? real : "elsewhere";
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isSymbolicLink()) return "a symlink";
  return "a device";
}

function unreadable(path: string, cause: unknown): CadreError {
  const reasons: Record<string, string> = {
    EACCES: "permission denied",
    ELOOP: "it is a symlink",
    ENAMETOOLONG: "the name is too long",
  };
  const code = systemErrorCode(cause) ?? String(cause);
  return new CadreError("tool-failed", `${path} cannot be opened: ${reasons[code] ?? code}.`, {
    cause,
  });
}

async function notFound(path: string): Promise<CadreError> {
  const wanted = basename(path).toLowerCase();
  const names = await readdir(dirname(path)).catch(() => []);
  const near = names
    .filter((name) => isNear(name.toLowerCase(), wanted))
    .sort()
    .slice(0, 3);
  const hint = near.length > 0 ? ` Near it: ${near.join(", ")}.` : " Use Glob to find files.";
  return new CadreError("tool-failed", `${path} does not exist.${hint}`);
}

function isNear(name: string, wanted: string): boolean {
  const stem = (text: string): string => text.replace(/\.[^.]*$/, "");
  return (
    name === wanted ||
    (stem(wanted) !== "" && stem(name) === stem(wanted)) ||
    (wanted.length > 2 && name.includes(wanted))
  );
}
