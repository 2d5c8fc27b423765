import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Git, type GitFolders, splitNul } from "./run-git.ts";

/**
 * Finds the files of a merge from the commit `before` to `commit` that have local changes: changed, staged or untracked. Git itself
 * names only the first one. Files that are staged as the merge leaves them are not in the way.
 */
export async function findBlockingFiles(
  git: Git,
  folders: GitFolders,
  { before, commit, files }: { before: string; commit: string; files: readonly string[] },
): Promise<string[]> {
  const list = async (...words: readonly string[]): Promise<Set<string>> =>
    new Set(
      splitNul(await git([...words, "-z", "--name-only", "--ignore-submodules=all"], folders)),
    );
  const cached = ["diff-index", "--cached", "--no-renames"];
  const staged = await list(...cached, before);
  const differing = await list(...cached, commit);
  const changed = await list("diff-files", "--diff-filter=d");
  const added = await list("diff-tree", "-r", "--no-renames", "--diff-filter=A", before, commit);
  const isBlocking = (file: string): boolean => {
    if (staged.has(file)) return differing.has(file);
    return changed.has(file) || (added.has(file) && existsSync(join(folders.worktree, file)));
  };
  return files.filter(isBlocking).toSorted();
}
