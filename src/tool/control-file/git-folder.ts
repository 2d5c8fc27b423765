import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { foldName } from "./control-names.ts";
import type { ControlPath } from "./control-path.ts";
import { kindOf } from "./control-path.ts";

/** What in a repository's folder decides what git executes, in folders that only look like a repository. */
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

/** What ordinary work with git writes in `.git`. Everything else in there is a control file. */
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

/** Below `info` and `rebase-merge`, what is not a control file. */
const infoNames: ReadonlySet<string> = new Set(["exclude", "refs", "sparse-checkout"]);
export const todoPattern: RegExp = /^(?:git-rebase-todo(?:\..*)?|done)$/;

/**
 * The control files in the folder of a git repository: all but what ordinary commits write. In one that is not called
 * `.git` (`isPlain`), only what git is known to obey.
 */
export function findInGitFolder(folder: string, isPlain = false): ControlPath[] {
  return entriesOf(folder).flatMap((entry) => {
    const name = foldName(entry.name);
    const path = join(folder, entry.name);
    if (isPlain && !repositoryControlNames.has(name)) return [];
    const control: ControlPath = { path, kind: kindOf(entry), git: { folder, name } };
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
      kind: kindOf(entry),
      git: { folder, name: called ?? foldName(entry.name) },
    }));
}

function findLinks(folder: string): ControlPath[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findLinks(path);
    return entry.isFile() ? [] : [{ path, kind: kindOf(entry) }];
  });
}

/** Submodules lie under their names, which may have slashes. */
function findModules(folder: string): ControlPath[] {
  const entries = entriesOf(folder);
  if (entries.some(({ name }) => foldName(name) === "head")) return findInGitFolder(folder);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? findModules(path) : [{ path, kind: kindOf(entry) }];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile, or a folder that nobody can look into.
    return [];
  }
}
