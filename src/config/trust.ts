import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { randomUUID } from "node:crypto";
import { CadreError } from "../errors.ts";

/** The folders whose code may run: programs, commands and hooks that a project brings along. */
export interface Trust {
  /** Whether a path is, or lies in, a trusted folder; symlinks are resolved first. */
  isTrusted(path: string): boolean;
  /**
   * Trusts a folder and everything below it, from now on; returns its real path.
   *
   * @throws CadreError `invalid-argument` when there is no such folder.
   */
  trust(path: string): string;
  /** The trusted folders, real and absolute. */
  list(): string[];
}

/**
 * Opens the list of trusted folders, `~/.cadre/trusted.json`. It is read anew at each question, so that what another
 * process trusts counts at once.
 *
 * @throws CadreError `config-invalid` from every function while the file is not a JSON list of absolute paths.
 */
export function createTrust({ home }: { home: string }): Trust {
  const file = join(resolve(home), ".cadre", "trusted.json");
  return {
    isTrusted(path) {
      const real = realPath(resolve(path));
      return readTrusted(file).some((folder) => isWithin(real, folder));
    },
    trust(path) {
      const folder = realFolder(path);
      const known = readTrusted(file);
      if (!known.includes(folder)) writeTrusted(file, [...known, folder]);
      return folder;
    },
    list: () => readTrusted(file),
  };
}

function readTrusted(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
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

/** Written beside and renamed: a crash leaves the old list or the new one. */
function writeTrusted(file: string, folders: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(folders, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The real path; of what does not exist, its nearest existing parent's, with the rest as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

function realFolder(path: string): string {
  const real = realPath(resolve(path));
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
