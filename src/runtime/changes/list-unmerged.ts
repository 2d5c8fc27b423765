import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Registry } from "../../registry/registry.ts";
import { isRunId } from "../../run/run-id.ts";
import { isTerminal, type Run } from "../../run/run.ts";
import { selectDescendants } from "../../run/select-descendants.ts";
import { findUnmerged } from "../../tool/git/find-unmerged.ts";
import type { LinkedWorktree } from "../../tool/git/worktree-folder.ts";
import { readWorktree, type WorktreeSources } from "./find-worktrees.ts";

/**
 * Lists the ended runs with changes in worktrees that are not merged, newest first: all, or `within` and the runs below it. The
 * folders of the worktrees say which runs to look at, so that the cost does not grow with the number of runs in the registry. A run
 * whose worktree or repository cannot be read is listed too; reading its changes says what is wrong.
 */
export async function listUnmerged(
  open: () => Registry,
  sources: WorktreeSources,
  within?: Run,
): Promise<Run[]> {
  const folder = join(sources.stateFolder, "worktrees");
  const names = new Set((await readdir(folder).catch(() => [])).filter(isRunId));
  // A registry that does not exist yet is not created for this.
  if (names.size === 0) return [];
  const registry = open();
  const runs = await findCandidates(registry, names, within);
  const groups = new Map<string, RunWorktree[]>();
  const unreadable = new Set<Run>();
  for (const run of runs.filter(({ status }) => isTerminal(status))) {
    const found = await readWorktree(registry, run, sources).catch(() => null);
    if (found === null) unreadable.add(run);
    else if (found !== undefined && existsSync(found.worktree.root)) {
      const { from } = found.worktree;
      groups.set(from, [...(groups.get(from) ?? []), { ...found.worktree, run }]);
    }
  }
  const unmerged = new Set(unreadable);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const all = [first, ...others] as const;
    for (const { run } of await findUnmerged(all).catch(() => all)) unmerged.add(run);
  }
  return runs.filter((run) => unmerged.has(run));
}

type RunWorktree = LinkedWorktree & { run: Run };

/** Returns the runs that may have one of the worktrees, newest first. */
async function findCandidates(
  registry: Registry,
  names: ReadonlySet<string>,
  within: Run | undefined,
): Promise<Run[]> {
  if (within === undefined) return await registry.runs({ ids: [...names], limit: names.size });
  const family = await registry.family(within.rootId);
  // A run that continues another one works in the worktree of that one.
  return [within, ...selectDescendants(within.id, family)]
    .filter(({ id, continues }) => continues !== undefined || names.has(id))
    .toReversed();
}
