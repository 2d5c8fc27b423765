import { existsSync } from "node:fs";
import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CadreError } from "../../errors.ts";
import { findFilters, type UnappliedFilter } from "./find-filters.ts";
import type { Repository } from "./open-repository.ts";
import { type Git, splitNul } from "./run-git.ts";
import { branchOf, inRepository, type LinkedWorktree, gitFoldersOf } from "./worktree-folder.ts";

/**
 * Creates a worktree of `commit` (default: HEAD) on its own branch, and replaces an incomplete one. Resolves with the filters
 * that were not applied, because git would have to execute them: their files are as git stores them.
 *
 * This function writes the files of the worktree itself. `git worktree add` would write the path of the folder that {@link
 * withGit} gives to git into them.
 *
 * @throws CadreError `tool-unavailable`, for example for a repository without a commit.
 */
export async function addWorktree(
  worktree: LinkedWorktree,
  { commit: given }: { commit?: string } = {},
): Promise<UnappliedFilter[]> {
  const { root, id } = worktree;
  return await inRepository(worktree, async (git, repository) => {
    await rm(root, { recursive: true, force: true });
    const commit = given ?? (await findCommit(git, repository));
    const folders = gitFoldersOf(worktree, repository);
    await rm(folders.gitFolder, { recursive: true, force: true });
    await mkdir(folders.gitFolder, { recursive: true });
    await writeFile(join(folders.gitFolder, "commondir"), "../..\n");
    await writeFile(join(folders.gitFolder, "gitdir"), `${join(root, ".git")}\n`);
    await writeFile(join(folders.gitFolder, "HEAD"), `ref: refs/heads/${branchOf(id)}\n`);
    await git(["update-ref", `refs/heads/${branchOf(id)}`, commit]);
    await mkdir(root, { recursive: true });
    await writeFile(join(root, ".git"), `gitdir: ${folders.gitFolder}\n`);
    await git(["read-tree", "-m", "-u", "HEAD"], folders);
    const files = splitNul(await git(["ls-files", "-z"], folders));
    return await findFilters(git, folders, files);
  });
}

/**
 * Removes a worktree with its uncommitted work, and its branch unless `keepBranch` is set. {@link completeRemoval} completes a
 * removal that a kill interrupted.
 */
export async function removeLinkedWorktree(
  worktree: LinkedWorktree,
  { keepBranch = false }: { keepBranch?: boolean } = {},
): Promise<void> {
  const { root, id } = worktree;
  await inRepository(worktree, async (git, repository) => {
    const { gitFolder } = gitFoldersOf(worktree, repository);
    const removed = keepBranch ? root : await moveAway(root);
    await rm(gitFolder, { recursive: true, force: true });
    // Git also removes the folder with the last worktree.
    await rmdir(dirname(gitFolder)).catch(() => undefined);
    if (!keepBranch) await git(["update-ref", "-d", `refs/heads/${branchOf(id)}`]);
    await rm(removed, { recursive: true, force: true });
  });
}

/** Completes the removal of a worktree and its branch, if a kill interrupted it. */
export async function completeRemoval(worktree: LinkedWorktree): Promise<void> {
  const { root } = worktree;
  if (existsSync(removedFolder(root)) && !existsSync(root)) await removeLinkedWorktree(worktree);
}

/** Returns the path of a worktree's folder during its removal. */
export function removedFolder(root: string): string {
  return `${root}.removed`;
}

async function moveAway(root: string): Promise<string> {
  const removed = removedFolder(root);
  if (!existsSync(root)) return removed;
  await rm(removed, { recursive: true, force: true });
  await rename(root, removed);
  return removed;
}

async function findCommit(git: Git, { folder }: Repository): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "HEAD^{commit}"])).trim();
  } catch (error) {
    const message = `Expected a commit to create a worktree from; HEAD of the git repository ${folder} names none. Create the first one with \`git commit\`.`;
    throw new CadreError("tool-unavailable", message, { cause: error });
  }
}
