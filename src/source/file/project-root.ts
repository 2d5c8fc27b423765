import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside, realPathOf } from "./real-path.ts";

/** The folders that determine a project. */
export interface ProjectFolders {
  /** An absolute path. */
  cwd: string;
  /** The absolute path of the user's home folder. Its `.cadre` is the user's own and belongs to no project. */
  home: string;
}

/**
 * Returns the absolute root of the project of `cwd`: the nearest ancestor with `.git`, or else the nearest with a
 * `.cadre` that contains definitions or configuration, or else `cwd` itself.
 *
 * The search ends below the home folder, below the root of a file system, and below a folder that other users own or
 * can write to, because its files may be theirs.
 */
export function findProjectRoot({ cwd, home }: ProjectFolders): string {
  const start = resolve(cwd);
  const folders = [start, ...ancestorsOfOwner(start, home)];
  return (
    folders.find((folder) => existsSync(join(folder, ".git"))) ??
    folders.find(hasDefinitions) ??
    start
  );
}

/** Returns the root of the git repository or worktree that contains `folder` (absolute); `undefined` without one. */
export function findRepository(folder: string): string | undefined {
  return [folder, ...ancestors(folder)].find((one) => existsSync(join(one, ".git")));
}

/**
 * Returns the folders of the project from `cwd` up to its root, nearest first. Omits `home`, which is the user's
 * scope.
 */
export function projectFolders({ cwd, home }: ProjectFolders): string[] {
  const start = resolve(cwd);
  const root = findProjectRoot({ cwd, home });
  const folders = [start, ...ancestors(start)].filter((folder) => isInside(folder, root));
  return folders.filter((folder) => !isHome(folder, home));
}

/** Entries of `.cadre` that earlier versions of Cadre or the system create. They do not make a folder a project. */
const ownEntries: ReadonlySet<string> = new Set([
  "state",
  "trusted.json",
  ".gitignore",
  ".DS_Store",
]);

function hasDefinitions(folder: string): boolean {
  try {
    return readdirSync(join(folder, ".cadre")).some((name) => !ownEntries.has(name));
  } catch {
    // The folder is missing or unreadable.
    return false;
  }
}

/** Returns the folders above `start`, up to the first one that another user can write to. */
function ancestorsOfOwner(start: string, home: string): string[] {
  const all = ancestors(start);
  const owner = statSync(start, { throwIfNoEntry: false })?.uid;
  const realHome = realPathOf(resolve(home));
  const end = all.findIndex(
    (folder) =>
      dirname(folder) === folder ||
      isInside(realHome, realPathOf(folder)) ||
      isForeign(folder, owner),
  );
  return all.slice(0, end);
}

/** Reports whether users other than this one, the owner of the working folder and root can write to a folder. */
function isForeign(folder: string, owner: number | undefined): boolean {
  const user = process.getuid?.();
  // Without user ids, a folder's mode has no meaning.
  if (user === undefined) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  return (stats.mode & 0o002) !== 0 || ![user, owner, 0].includes(stats.uid);
}

function isHome(folder: string, home: string): boolean {
  return realPathOf(folder) === realPathOf(resolve(home));
}

/** Returns all folders above `folder`, nearest first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...ancestors(parent)];
}
