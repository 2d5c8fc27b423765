/** Changes that runs made in their own worktrees: reading, merging and discarding them. */

import type { Run } from "../run/run.ts";
import type { ChangeSet, LeftContent } from "../tool/git/read-changes.ts";
import type { MergeConflict, MergeStrategy } from "../tool/git/plan-merge.ts";

/** Options of {@link RunChanges.merge}. */
export interface MergeOptions {
  /** Default: `merge`. */
  strategy?: MergeStrategy;
  /** Only tries the merge and changes nothing. Default false. */
  dryRun?: boolean;
  /** Keeps the worktrees and branches of merged runs. Default false; `patch` always keeps them. */
  keep?: boolean;
}

/** The result of a merge, or of a dry run. */
export interface MergeReport {
  /** The root of the repository that received the changes. */
  into: string;
  /** The commit that its HEAD named before. `git reset --keep` returns to it. */
  before: string;
  /** The ids of the merged runs, in order. */
  merged: readonly string[];
  /** The runs that were left out. */
  conflicts: readonly MergeConflict[];
  /** The changed files, relative to `into`. */
  files: readonly string[];
  /** Those of them that configure agents, editors or git. They can raise the rights of programs there. */
  controlFiles: readonly string[];
  /** Content that could not be merged and is still in a worktree, by run. A run with nothing else is not in `merged`. */
  left: readonly ({ id: string } & LeftContent)[];
  /** The named runs, or those below them, without changes, when all of a named run are gone. */
  gone: readonly GoneChanges[];
}

/** Why a run has no changes. */
export interface GoneChanges {
  id: string;
  /** It made none, or they were merged or discarded. */
  reason: "unchanged" | "merged" | "discarded";
  /** The newest commit that names the run; only for `merged`. */
  commit?: string;
  /** Up to three branches that contain the commit; only for `merged`. */
  branches?: readonly string[];
}

/** A run whose changes were deleted. */
export interface DiscardedRun {
  id: string;
  /** The commit with its changes, which git keeps for some weeks. */
  commit: string;
  /** Deleted content that is in no commit, relative to the worktree: separate repositories, and files in submodules. */
  lost: readonly string[];
}

/**
 * The changes of runs with `isolation: worktree`. A run without its own worktree stands for those of its descendants that have
 * one. No hook and no filter that a repository configures is executed.
 */
export interface RunChanges {
  /**
   * Lists the ended runs of this project with changes in worktrees that are not merged, newest first: all, or the run `id` and those
   * below it. Leaves out changes that workers keep at a remote. The cost grows with the number of worktrees, not of runs.
   *
   * @throws CadreError `run-not-found`.
   */
  list(id?: string): Promise<Run[]>;
  /**
   * Reads the changes of a run so far. `paths` are relative to the root of the repository; none means all.
   *
   * @throws CadreError `run-not-found`; `invalid-argument` for a run that has no worktree or no changes; `tool-unavailable` when git fails.
   */
  read(id: string, paths?: readonly string[]): Promise<ChangeSet>;
  /**
   * Merges the changes of ended runs into the repository that the worktrees belong to, in the order with the fewest conflicts.
   * Leaves out runs that conflict with the ones already merged. The same call completes a merge whose process was killed.
   *
   * @throws CadreError as {@link RunChanges.read}; also `invalid-argument` for a run that has not ended, and `tool-unavailable`
   * when local changes are in the way. Nothing is then changed.
   */
  merge(ids: readonly string[], options?: MergeOptions): Promise<MergeReport>;
  /**
   * Deletes the worktrees and branches of ended runs, with all their changes.
   *
   * @throws CadreError as {@link RunChanges.merge}.
   */
  discard(id: string): Promise<DiscardedRun[]>;
}
