import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside, realPathOf } from "./real-path.ts";

/** Where to look for a project. */
export interface ProjectPlace {
  /** Absolute. */
  cwd: string;
  /** The user's home folder, absolute: what is in its `.cadre` is the user's own and belongs to no project. */
  home: string;
}

/**
 * The root of the project `cwd` is in: the nearest ancestor with `.git`; without one, the nearest whose `.cadre` holds what
 * people write there; without that, `cwd` itself. Absolute.
 *
 * The search ends below the home folder, below the root of a file system, and below a folder that other users can write to
 * or own: what lies there does not belong to whoever works in `cwd`.
 */
export function findProjectRoot({ cwd, home }: ProjectPlace): string {
  const start = resolve(cwd);
  const folders = [start, ...ancestorsOfOwner(start, home)];
  return (
    folders.find((folder) => existsSync(join(folder, ".git"))) ??
    folders.find(hasDefinitions) ??
    start
  );
}

/** The root of the git repository or worktree that `folder` (absolute) is in; `undefined` when it is in none. */
export function findRepository(folder: string): string | undefined {
  return [folder, ...ancestors(folder)].find((one) => existsSync(join(one, ".git")));
}

/** The folders of the project from `cwd` up to its root, nearest first; never `home`, which is the user's scope. */
export function projectFolders({ cwd, home }: ProjectPlace): string[] {
  const start = resolve(cwd);
  const root = findProjectRoot({ cwd, home });
  const folders = [start, ...ancestors(start)].filter((folder) => isInside(folder, root));
  return folders.filter((folder) => !isHome(folder, home));
}

/** What earlier versions of Cadre, and systems, put into `.cadre` by themselves: it makes no project of a folder. */
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
    // There is no such folder, or it cannot be read: either way nothing in it counts.
    return false;
  }
}

/** The folders above `start` up to the first that somebody else may have put something into. */
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

/** Whether users other than this one, the owner of the working folder and the administrator can write to a folder. */
function isForeign(folder: string, owner: number | undefined): boolean {
  const user = process.getuid?.();
  // Systems without user ids say nothing by the mode of a folder.
  if (user === undefined) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  return (stats.mode & 0o002) !== 0 || ![user, owner, 0].includes(stats.uid);
}

function isHome(folder: string, home: string): boolean {
  return realPathOf(folder) === realPathOf(resolve(home));
}

/** All folders above `folder`, nearest first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...ancestors(parent)];
}
