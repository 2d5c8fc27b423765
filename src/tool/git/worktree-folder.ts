import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openRepository, type Repository } from "./open-repository.ts";
import { type Git, type GitFolders, withGit } from "./run-git.ts";

/** A worktree that Cadre creates from a repository. */
export interface LinkedWorktree {
  /** Its folder; absolute and real. */
  root: string;
  /** A folder of the repository whose HEAD is checked out; absolute. */
  from: string;
  /** The worktree's name in the repository. */
  id: string;
}

/** Returns the worktree of a run. Like its folder, it is named after the run that created it. */
export function linkedWorktree({
  root,
  from,
}: Pick<LinkedWorktree, "root" | "from">): LinkedWorktree {
  return { root, from, id: basename(root) };
}

/** Returns the branch of a worktree. */
export function branchOf(id: string): string {
  return `cadre/${id}`;
}

/**
 * Runs `work` with a git that executes nothing from a worktree's repository; see {@link withGit}. `folder` is git's temporary
 * folder.
 */
export async function inRepository<Value>(
  { root, from }: Pick<LinkedWorktree, "root" | "from">,
  work: (git: Git, repository: Repository, folder: string) => Promise<Value>,
): Promise<Value> {
  const repository = await openRepository(from);
  await mkdir(dirname(root), { recursive: true, mode: 0o700 });
  // Two commands may read the same worktree at once.
  const folder = `${root}.${randomUUID().slice(0, 8)}.git`;
  return await withGit(repository, folder, async (git) => await work(git, repository, folder));
}

/** Returns the locations of a worktree's HEAD, index and files. */
export function gitFoldersOf(
  { root, id }: LinkedWorktree,
  { commonFolder }: Repository,
): GitFolders {
  return { gitFolder: join(commonFolder, "worktrees", id), worktree: root };
}
