import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where to look for a project: `home` never counts as one by its `.cadre`, which is the user's own. */
export interface ProjectPlace {
  cwd: string;
  home: string;
}

/**
 * The root of the project `cwd` is in: the nearest ancestor with `.git`; without one, the nearest with `.cadre`; without
 * that, `cwd` itself. Absolute.
 */
export function findProjectRoot({ cwd, home }: ProjectPlace): string {
  const folders = ancestors(resolve(cwd));
  const isUsers = (folder: string): boolean => folder === resolve(home);
  return (
    findRepository(resolve(cwd)) ??
    folders.find((folder) => existsSync(join(folder, ".cadre")) && !isUsers(folder)) ??
    resolve(cwd)
  );
}

/** The root of the git repository or worktree that `folder` (absolute) is in; `undefined` when it is in none. */
export function findRepository(folder: string): string | undefined {
  return ancestors(folder).find((one) => existsSync(join(one, ".git")));
}

/** The nearest ancestor of `cwd` with `.cadre` or `.git`, otherwise `cwd` itself. Absolute. */
export function findStateRoot({ cwd, home }: ProjectPlace): string {
  const isProject = (folder: string): boolean =>
    existsSync(join(folder, ".git")) ||
    (folder !== resolve(home) && existsSync(join(folder, ".cadre")));
  return ancestors(resolve(cwd)).find(isProject) ?? resolve(cwd);
}

/** The folders of the project from `cwd` up to its root, nearest first; never `home`, which is the user's scope. */
export function projectFolders({ cwd, home }: ProjectPlace): string[] {
  const root = findProjectRoot({ cwd, home });
  const folders = ancestors(resolve(cwd));
  return folders.slice(0, folders.indexOf(root) + 1).filter((folder) => folder !== resolve(home));
}

/** `folder` and all folders above it, nearest first. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
