import { lstat, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CadreError } from "../../errors.ts";
import { findRepository } from "../../source/file/project-root.ts";
import { isInside, resolveReal } from "../../source/file/real-path.ts";

/** A git repository with the standard layout. All paths are absolute. */
export interface Repository {
  /** The root of its working tree. */
  folder: string;
  /** The folder of HEAD and the index: `.git`, or the folder that the `.git` file of a linked worktree names. */
  gitFolder: string;
  /** The folder of objects, references and configuration, which all worktrees share. */
  commonFolder: string;
}

/** The paths that git follows when they are symlinks, although no git command makes such symlinks. */
const unlinked = ["objects", "objects/info", "refs", "packed-refs", "worktrees", "HEAD"];

/**
 * Finds the repository that `folder` is in. Refuses a repository that refers to paths outside itself, except the references that
 * git makes: a linked worktree and a submodule refer to the repository they belong to.
 *
 * @throws CadreError `tool-unavailable` that names the offending file.
 */
export async function openRepository(folder: string): Promise<Repository> {
  const root = findRepository(folder);
  if (root === undefined) {
    throw new CadreError("tool-unavailable", `Expected a git repository; ${folder} is not in one.`);
  }
  const repository = { folder: root, ...(await locate(root)) };
  await checkLayout(repository.commonFolder);
  return repository;
}

async function locate(folder: string): Promise<Omit<Repository, "folder">> {
  const git = join(folder, ".git");
  const status = await lstat(git);
  if (status.isDirectory()) return { gitFolder: git, commonFolder: git };
  const [, target] = /^gitdir: (.+)\n?$/.exec(status.isFile() ? await read(git) : "") ?? [];
  const gitFolder = target === undefined ? null : await resolveReal(resolve(folder, target));
  if (gitFolder === null) throw refused(git, "it is neither a folder nor a file that names one");
  if (await isLinkedWorktree(gitFolder, git)) {
    return { gitFolder, commonFolder: dirname(dirname(gitFolder)) };
  }
  if (await isSubmodule(gitFolder, folder)) return { gitFolder, commonFolder: gitFolder };
  const named = `it names ${gitFolder}, which belongs to another repository`;
  throw refused(git, named);
}

/** Reports whether a linked worktree and its repository refer to each other. */
async function isLinkedWorktree(gitFolder: string, git: string): Promise<boolean> {
  const worktrees = dirname(gitFolder);
  if (!worktrees.endsWith("worktrees")) return false;
  const common = await resolveReal(resolve(gitFolder, await firstLine(gitFolder, "commondir")));
  const back = await resolveReal(resolve(gitFolder, await firstLine(gitFolder, "gitdir")));
  return common === dirname(worktrees) && back !== null && back === (await resolveReal(git));
}

/** Reports whether a git folder lies in the repository that contains the submodule. */
async function isSubmodule(gitFolder: string, folder: string): Promise<boolean> {
  const outer = findRepository(dirname(folder));
  if (outer === undefined) return false;
  const modules = await resolveReal(join((await locate(outer)).gitFolder, "modules"));
  return modules !== null && gitFolder !== modules && isInside(gitFolder, modules);
}

async function checkLayout(common: string): Promise<void> {
  const redirection = join(common, "commondir");
  if (await isThere(redirection)) {
    throw refused(redirection, "only linked worktrees have such a file");
  }
  for (const name of unlinked) {
    const path = join(common, name);
    const status = await lstat(path).catch(() => undefined);
    if (status?.isSymbolicLink() === true) throw refused(path, "it is a symbolic link");
  }
  const alternates = join(common, "objects/info/alternates");
  if ((await readIfThere(alternates)).trim() === "") return;
  const fix = "`git repack -a -d` copies them, then delete the file";
  throw refused(alternates, `it takes objects from other repositories (${fix})`);
}

async function firstLine(folder: string, name: string): Promise<string> {
  const [line = ""] = (await readIfThere(join(folder, name))).split("\n");
  return line;
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function readIfThere(path: string): Promise<string> {
  return await read(path).catch(() => "");
}

async function read(path: string): Promise<string> {
  return await readFile(path, "utf8");
}

function refused(path: string, reason: string): CadreError {
  const message = `Cadre uses a git repository only when all of it is in one place. ${path} leads elsewhere: ${reason}.`;
  return new CadreError("tool-unavailable", message, { details: { path } });
}
