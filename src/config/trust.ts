import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { CadreError } from "../errors.ts";
import { isInside, realPathOf } from "../source/real-path.ts";
import { requireHome, type UserPlace, userStateFolder } from "./state-folder.ts";

/** The folders whose code may run: programs, commands and hooks that a project brings along. */
export interface Trust {
  /** Whether a path is, or lies in, a trusted folder; symlinks are resolved first. */
  isTrusted(path: string): boolean;
  /**
   * Trusts a folder and everything below it, from now on; returns its real path.
   *
   * @throws CadreError `invalid-argument` when there is no such folder, `config-invalid` when the list cannot be written.
   */
  trust(path: string): string;
  /** The trusted folders, real and absolute. */
  list(): string[];
}

/**
 * Opens the user's list of trusted folders, `trusted.json` in the user's state folder. It is read anew at each question, so
 * that what another process trusts counts at once. A list that an earlier version kept in `~/.cadre` is moved there.
 *
 * @throws CadreError `config-invalid` from every function while the file is not a JSON list of absolute paths, and at once
 * when there is no home folder to keep it in.
 */
export function createTrust(user: UserPlace): Trust {
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

/** Moves the list once; returns where it is. */
function moveList(from: string, to: string): string {
  if (existsSync(to) || !existsSync(from)) return to;
  try {
    // A link is made only where nothing is yet: a list that another process made meanwhile stays.
    writeDraft(to, readFileSync(from), (draft) => linkSync(draft, to));
  } catch {
    // Where nothing can be written, the list goes on counting where it is.
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

/** A crash leaves the old list or the new one. */
function writeTrusted(file: string, folders: readonly string[]): void {
  const text = `${JSON.stringify(folders, null, 2)}\n`;
  try {
    writeDraft(file, text, (draft) => renameSync(draft, file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Expected to write the list of trusted folders ${file}, but that is not possible (${why}). Make its folder writable, or set XDG_STATE_HOME to one that is.`;
    throw new CadreError("config-invalid", message, { details: { path: file }, cause });
  }
}

/** Writes a file beside `file`, and has it put in its place. */
function writeDraft(
  file: string,
  content: Uint8Array | string,
  put: (draft: string) => void,
): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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
    // It was never there: its folder is none.
  }
}

function realFolder(path: string): string {
  const real = realPathOf(resolve(path));
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return real;
  throw new CadreError(
    "invalid-argument",
    `Expected a folder to trust; there is none at ${resolve(path)}.`,
    {
      details: { path: resolve(path) },
    },
  );
}

function corrupted(file: string, why: string, cause?: unknown): CadreError {
  const message = `Expected ${file} to be a JSON list of absolute folders; ${why}. Correct it or delete it, then trust your projects again with \`cadre trust\`.`;
  return new CadreError("config-invalid", message, {
    details: { path: file },
    ...(cause === undefined ? {} : { cause }),
  });
}
