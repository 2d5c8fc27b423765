// Changes that runs made in worktrees of their own: reading, merging and discarding them.

import type { ChangeSet } from "../tool/git/read-changes.ts";
import type { MergeConflict, MergeStrategy } from "../tool/git/plan-merge.ts";

/** Options of {@link RunChanges.merge}. */
export interface MergeOptions {
  /** Default: `merge`. */
  strategy?: MergeStrategy;
  /** Try the merge, and change nothing. Default false. */
  dryRun?: boolean;
  /** Keep the worktrees and branches of merged runs. Default false; `patch` keeps them always. */
  keep?: boolean;
}

/** What a merge did, or would do. */
export interface MergeReport {
  /** The root of the repository that the changes went into. */
  into: string;
  /** The commit that its HEAD named before; `git reset --keep` goes back to it. */
  before: string;
  /** The ids of the merged runs, in order. */
  merged: readonly string[];
  /** The runs that were left out. */
  conflicts: readonly MergeConflict[];
  /** The changed files, relative to `into`. */
  files: readonly string[];
  /** Those of them that configure agents, editors or git: they can raise the rights of what runs there. */
  controlFiles: readonly string[];
  /** Content that could not be committed and is still in a worktree, by run. */
  left: readonly { id: string; paths: readonly string[] }[];
  /** The ids of named runs without changes: these are merged or discarded, or there were none. */
  gone: readonly string[];
}

/** A run whose changes were deleted. */
export interface DiscardedRun {
  id: string;
  /** The commit with its changes, which git keeps for some weeks. */
  commit: string;
}

/**
 * The changes of runs with `isolation: worktree`. A run without a worktree of its own stands for those of its descendants that
 * have one. Nothing that a repository configures is executed: no hook, no filter.
 */
export interface RunChanges {
  /**
   * Reads what a run has changed so far. `paths` are relative to the root of the repository; none means all.
   *
   * @throws CadreError `run-not-found`; `invalid-argument` for a run that has no worktree or no changes; `tool-unavailable` when git fails.
   */
  read(id: string, paths?: readonly string[]): Promise<ChangeSet>;
  /**
   * Merges the changes of ended runs into the repository that their worktrees are made of, in the order with the fewest
   * conflicts. Runs that conflict with what has been merged are left out. The same call completes a merge whose process was killed.
   *
   * @throws CadreError as {@link RunChanges.read}; also `invalid-argument` for a run that has not ended, and `tool-unavailable`
   * when local changes are in the way. Nothing has changed then.
   */
  merge(ids: readonly string[], options?: MergeOptions): Promise<MergeReport>;
  /**
   * Deletes the worktrees and branches of ended runs, with all their changes.
   *
   * @throws CadreError as {@link RunChanges.merge}.
   */
  discard(id: string): Promise<DiscardedRun[]>;
}
