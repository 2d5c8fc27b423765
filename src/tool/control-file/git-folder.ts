import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { foldName } from "./control-names.ts";
import type { ControlPath } from "./control-path.ts";
import { entryKind } from "./control-path.ts";

/** The entries of a git folder that decide what git executes, for folders that only look like a repository. */
export const repositoryControlNames: ReadonlySet<string> = new Set([
  "branches",
  "commondir",
  "config",
  "config.worktree",
  "gitdir",
  "hooks",
  "info",
  "modules",
  "objects",
  "remotes",
  "worktrees",
]);

/** The entries of `.git` that ordinary work with git writes. All other entries are control files. */
const workNames: ReadonlySet<string> = new Set([
  "annex",
  "description",
  "fsmonitor--daemon",
  "fsmonitor--daemon.ipc",
  "gc.log",
  "gc.pid",
  "gitk.cache",
  "head",
  "lfs",
  "logs",
  "objects",
  "packed-refs",
  "rebase-apply",
  "rebase-merge",
  "refs",
  "reftable",
  "rr-cache",
  "sequencer",
  "shallow",
]);
/** `ORIG_HEAD`, `COMMIT_EDITMSG`, `index.lock`, `next-index-1.lock` … */
const workPattern = /^(?:[a-z]+(?:_[a-z]+)+|(?:index|next-index|sharedindex)(?:[.-].*)?|.*\.lock)$/;

/** The entries of `info` and `rebase-merge` that are not control files. */
const infoNames: ReadonlySet<string> = new Set(["exclude", "refs", "sparse-checkout"]);
export const todoPattern: RegExp = /^(?:git-rebase-todo(?:\..*)?|done)$/;

/**
 * Finds the control files in the folder of a git repository: all entries except those that ordinary commits write. In a folder
 * not named `.git` (`isPlain`), only entries that git is known to obey.
 */
export function findInGitFolder(folder: string, isPlain = false): ControlPath[] {
  return entriesOf(folder).flatMap((entry) => {
    const name = foldName(entry.name);
    const path = join(folder, entry.name);
    if (isPlain && !repositoryControlNames.has(name)) return [];
    const control: ControlPath = { path, kind: entryKind(entry), git: { folder, name } };
    if (!entry.isDirectory()) {
      // Git writes through a symlink, wherever it leads.
      return isWorkName(name) && !entry.isSymbolicLink() ? [] : [control];
    }
    return findInFolder(control, name);
  });
}

function findInFolder(control: ControlPath, name: string): ControlPath[] {
  const { path } = control;
  switch (name) {
    case "objects":
      return pick(join(path, "info"), (one) => one.endsWith("alternates"));
    case "info":
      return pick(path, (one) => !infoNames.has(one));
    case "rebase-merge":
      return pick(path, (one) => todoPattern.test(one));
    case "refs":
    case "logs":
      return findLinks(path);
    case "modules":
      return findModules(path);
    case "worktrees":
      return pick(path, () => true, "worktree");
    default:
      return isWorkName(name) ? [] : [control];
  }
}

function isWorkName(name: string): boolean {
  return workNames.has(name) || workPattern.test(name);
}

function pick(folder: string, isWanted: (name: string) => boolean, called?: string): ControlPath[] {
  return entriesOf(folder)
    .filter(({ name }) => isWanted(foldName(name)))
    .map((entry) => ({
      path: join(folder, entry.name),
      kind: entryKind(entry),
      git: { folder, name: called ?? foldName(entry.name) },
    }));
}

function findLinks(folder: string): ControlPath[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findLinks(path);
    return entry.isFile() ? [] : [{ path, kind: entryKind(entry) }];
  });
}

/** A submodule's folder is its name, which may contain slashes. */
function findModules(folder: string): ControlPath[] {
  const entries = entriesOf(folder);
  if (entries.some(({ name }) => foldName(name) === "head")) return findInGitFolder(folder);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? findModules(path) : [{ path, kind: entryKind(entry) }];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or unreadable.
    return [];
  }
}
