import { existsSync } from "node:fs";
import { findMerged } from "../../tool/git/find-merged.ts";
import { branchOf } from "../../tool/git/worktree-folder.ts";
import type { GoneChanges } from "../run-changes.ts";
import type { IsolatedRun } from "./find-worktrees.ts";

/**
 * Finds out why a run has no changes: it made none, or they were merged or discarded. `project` is a folder of the project that
 * Cadre was opened for.
 */
export async function explainGone(
  { run, worktree }: IsolatedRun,
  project: string,
): Promise<GoneChanges> {
  const { id, createdAt: since, result } = run;
  // The worktree of a sub-agent may come from that of its parent, which may be removed too.
  const from = existsSync(worktree.from) ? worktree.from : project;
  const merged = await findMerged({ ...worktree, from }, { runId: id, since });
  if (merged !== undefined) return { id, reason: "merged", ...merged };
  // A run that leaves changes names their branch in a warning when it ends.
  const branch = branchOf(worktree.id);
  const hadChanges = result?.warnings.some((warning) => warning.includes(branch)) === true;
  return { id, reason: hadChanges ? "discarded" : "unchanged" };
}

/** Says in a sentence why a run has no changes. */
export function describeGone({ id, reason, commit, branches = [] }: GoneChanges): string {
  if (reason === "unchanged") return `${id} changed nothing.`;
  if (reason === "discarded")
    return `The changes of ${id} were discarded: no branch contains them.`;
  const place = branches.length === 0 ? "" : `, on ${branches.join(", ")}`;
  return `The changes of ${id} are merged already: commit ${commit?.slice(0, 12)}${place}.`;
}
