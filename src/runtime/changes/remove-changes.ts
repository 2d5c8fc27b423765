import { removeLinkedWorktree } from "../../tool/git/linked-worktree.ts";
import type { IsolatedRun } from "./find-worktrees.ts";
import { deleteRemoteChanges } from "./remote-changes.ts";

/** Deletes the worktree and the branch of a run. The changes at a remote go last, because the branch is found through them. */
export async function removeChanges({ worktree, remote }: IsolatedRun): Promise<void> {
  await removeLinkedWorktree(worktree);
  if (remote !== undefined) await deleteRemoteChanges(worktree, remote);
}
