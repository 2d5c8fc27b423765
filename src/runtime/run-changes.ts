/** Changes that runs made in their own worktrees: reading, merging and discarding them. */

import type { ChangeSet } from "../tool/git/read-changes.ts";
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
  /** Content that could not be committed and is still in a worktree, by run. */
  left: readonly { id: string; paths: readonly string[] }[];
  /** The ids of named runs without changes: they were merged or discarded, or there were none. */
  gone: readonly string[];
}

/** A run whose changes were deleted. */
export interface DiscardedRun {
  id: string;
  /** The commit with its changes, which git keeps for some weeks. */
  commit: string;
}

/**
 * The changes of runs with `isolation: worktree`. A run without its own worktree stands for those of its descendants that have
 * one. No hook and no filter that a repository configures is executed.
 */
export interface RunChanges {
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
