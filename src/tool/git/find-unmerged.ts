import { findChangedFiles } from "./commit-changes.ts";
import type { Git } from "./run-git.ts";
import { branchOf, gitFoldersOf, inRepository, type LinkedWorktree } from "./worktree-folder.ts";

/**
 * Returns the worktrees with changes that HEAD lacks: commits of their branches, files that are not committed, and content that no
 * commit can contain. All of them belong to the repository of the first one. One command of git reads all branches.
 */
export async function findUnmerged<Worktree extends LinkedWorktree>(
  worktrees: readonly [Worktree, ...Worktree[]],
): Promise<Worktree[]> {
  return await inRepository(worktrees[0], async (git, repository) => {
    const ahead = await listUnmergedBranches(git);
    const found: Worktree[] = [];
    for (const worktree of worktrees) {
      const folders = gitFoldersOf(worktree, repository);
      if (ahead.has(branchOf(worktree.id)) || (await hasChangedFiles(git, folders)))
        found.push(worktree);
    }
    return found;
  });
}

async function listUnmergedBranches(git: Git): Promise<Set<string>> {
  const words = ["for-each-ref", "--no-merged=HEAD", "--format=%(refname:lstrip=2)"];
  return new Set((await git([...words, `refs/heads/${branchOf("")}`])).split("\n"));
}

async function hasChangedFiles(...place: Parameters<typeof findChangedFiles>): Promise<boolean> {
  const changed = await findChangedFiles(...place);
  return [changed.written, changed.deleted, changed.uncommitted].some((paths) => paths.length > 0);
}
