import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunId } from "../../run/run-id.ts";
import { removeFromIndex } from "../../registry/sqlite/search-index.ts";
import { indexName } from "../search/create-search.ts";
import { tidyWorktree } from "../changes/tidy-worktree.ts";

/**
 * Removes the long outputs, the worktrees and the searchable texts of deleted runs from the registry's folder. Resolves with the
 * worktrees that were kept.
 */
export async function removeTraces(folder: string, runIds: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  removeFromIndex(join(folder, indexName), runIds);
  // An id in a journal from elsewhere may be any path.
  for (const id of runIds.filter(isRunId)) {
    await rm(join(folder, "outputs", id), { recursive: true, force: true });
    const worktree = join(folder, "worktrees", id);
    if (!(await tidyWorktree(worktree, id))) kept.push(worktree);
  }
  return kept;
}
