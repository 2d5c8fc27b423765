import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { commitChanges } from "../../tool/git/commit-changes.ts";
import { runTrailer } from "../../tool/git/commit-text.ts";
import { removedFolder, removeLinkedWorktree } from "../../tool/git/linked-worktree.ts";

/**
 * Removes the worktree `root` of a run whose journal was deleted. Keeps its branch if it has commits of its own. Resolves with
 * false if the worktree was kept: when it has content that cannot be committed, or when git fails, for example because the
 * repository is gone.
 */
export async function tidyWorktree(root: string, id: string): Promise<boolean> {
  await rm(removedFolder(root), { recursive: true, force: true });
  if (!existsSync(root)) return true;
  const worktree = { root, from: root, id };
  const text = { author: "cadre", message: `Changes of ${id}\n\n${runTrailer(id)}` };
  try {
    const { commits, uncommitted } = await commitChanges(worktree, text);
    if (uncommitted.length > 0) return false;
    await removeLinkedWorktree(worktree, { keepBranch: commits > 0 });
    return true;
  } catch {
    return false;
  }
}
