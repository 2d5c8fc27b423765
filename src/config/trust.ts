import { isFolder } from "../source/file/is-folder.ts";
import { errorMessage } from "../error-message.ts";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { CadreError } from "../errors.ts";
import { isInside, realPathOf } from "../source/file/real-path.ts";
import { requireHome, type UserEnvironment, userStateFolder } from "./state-folder.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { createFolder } from "../source/file/create-folder.ts";

/** The folders whose code may run: a project's programs, commands and hooks. */
export interface Trust {
  /** Reports whether a path is a trusted folder or inside one. Resolves symlinks first. */
  isTrusted(path: string): boolean;
  /**
   * Trusts a folder and everything below it. Returns its real path.
   *
   * @throws CadreError `invalid-argument` for a missing folder, `config-invalid` when the list cannot be written.
   */
  trust(path: string): string;
  /** Returns the trusted folders as real absolute paths. */
  list(): string[];
}

/**
 * Opens the user's list of trusted folders, `trusted.json` in the user's state folder. Each call reads the file, so
 * changes by other processes apply at once. The list of an earlier version in `~/.cadre` is moved there.
 *
 * @throws CadreError `config-invalid` without a home folder. Every function throws it while the file is not a JSON list
 * of absolute paths.
 */
export function createTrust(user: UserEnvironment): Trust {
  const file = moveList(
    join(user.home, ".cadre", "trusted.json"),
    join(userStateFolder(user), "trusted.json"),
  );
  return {
    isTrusted(path) {
      const real = realPathOf(resolve(path));
      return readTrusted(file).some((folder) => isInside(real, folder));
    },
    trust(path) {
      const folder = realFolder(path);
      const known = readTrusted(file);
      if (known.includes(folder)) return folder;
      requireHome(file, user.home);
      writeTrusted(file, [...known, folder]);
      return folder;
    },
    list: () => readTrusted(file),
  };
}

/** Moves the list once. Returns its path. */
function moveList(from: string, to: string): string {
  if (existsSync(to) || !existsSync(from)) return to;
  try {
    // A link fails if the file exists, so a list that another process has created is kept.
    writeDraft(to, readFileSync(from), (draft) => linkSync(draft, to));
  } catch {
    // If nothing can be written, the list is used at its old path.
    return existsSync(to) ? to : from;
  }
  rmSync(from, { force: true });
  return to;
}

function readTrusted(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw corrupted(file, "it could not be read", error);
  }
  let folders: unknown;
  try {
    folders = JSON.parse(text);
  } catch (error) {
    throw corrupted(file, "it is not JSON", error);
  }
  if (!Array.isArray(folders)) throw corrupted(file, "it is not a list");
  const isAbsolute = (folder: unknown): folder is string =>
    typeof folder === "string" && resolve(folder) === folder;
  if (!folders.every(isAbsolute)) throw corrupted(file, "an entry is not an absolute path");
  return folders;
}

/** Writes the list atomically: a crash leaves the old list or the new one. */
function writeTrusted(file: string, folders: readonly string[]): void {
  const text = `${JSON.stringify(folders, null, 2)}\n`;
  try {
    writeDraft(file, text, (draft) => renameSync(draft, file));
  } catch (cause) {
    const why = errorMessage(cause);
    const message = `Expected to write the list of trusted folders ${file}, but that is not possible (${why}). Make its folder writable, or set XDG_STATE_HOME to one that is.`;
    throw new CadreError("config-invalid", message, { details: { path: file }, cause });
  }
}

/** Writes a temporary file beside `file`, which `put` moves into place. */
function writeDraft(
  file: string,
  content: Uint8Array | string,
  put: (draft: string) => void,
): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    createFolder(dirname(file), 0o700);
    writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
    put(draft);
  } finally {
    removeDraft(draft);
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // The draft was never written, because its folder is a file.
  }
}

function realFolder(path: string): string {
  const real = realPathOf(resolve(path));
  if (isFolder(real)) return real;
  throw new CadreError(
    "invalid-argument",
    `Expected a folder to trust; there is no folder at ${resolve(path)}.`,
    {
      details: { path: resolve(path) },
    },
  );
}

function corrupted(file: string, why: string, cause?: unknown): CadreError {
  const message = `Expected ${file} to be a JSON list of absolute folders; ${why}. Correct it or delete it, then trust your projects again with \`cadre trust\`.`;
  return new CadreError("config-invalid", message, {
    details: { path: file },
    ...omitUndefined({ cause }),
  });
}
