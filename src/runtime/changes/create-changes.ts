// Changes of runs in worktrees and at remotes: reads, merges and discards them.

import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run } from "../../run/run.ts";
import { namesControlFile } from "../../tool/control-file/control-names.ts";
import { mergeBranches } from "../../tool/git/apply-merge.ts";
import { commitChanges } from "../../tool/git/commit-changes.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import { readCommitter } from "../../tool/git/committer.ts";
import { completeRemoval, removeLinkedWorktree } from "../../tool/git/linked-worktree.ts";
import { openRepository } from "../../tool/git/open-repository.ts";
import type { MergeSource } from "../../tool/git/plan-merge.ts";
import { readChanges } from "../../tool/git/read-changes.ts";
import { branchOf } from "../../tool/git/worktree-folder.ts";
import {
  type WorktreeSources,
  findWorktrees,
  type FoundWorktrees,
  type IsolatedRun,
  requireEnded,
} from "./find-worktrees.ts";
import { addRemoteBranch, deleteRemoteChanges, readRemoteChanges } from "./remote-changes.ts";
import type { DiscardedRun, MergeOptions, MergeReport, RunChanges } from "../run-changes.ts";

/** Options of {@link createChanges}. */
export interface ChangesOptions extends WorktreeSources {
  registry: () => Registry;
  /** Finds a run as `cadre.find` does. */
  findRun: (id: string) => Promise<Run>;
}

/** Creates {@link RunChanges} of the runs in a registry. */
export function createChanges({ registry, findRun, ...sources }: ChangesOptions): RunChanges {
  const find = async (id: string): Promise<FoundWorktrees & { id: string }> => {
    const run = await findRun(id);
    return { ...(await findWorktrees(registry(), run, sources)), id: run.id };
  };
  const findEnded = async (ids: readonly string[], isTried = false): Promise<EndedRuns> => {
    const found = await Promise.all(ids.map(find));
    const all = found.flatMap(({ runs }) => runs);
    const runs = [...new Map(all.map((one) => [one.worktree.id, one])).values()];
    for (const one of runs) await requireEnded(registry(), one);
    if (!isTried) {
      for (const worktree of found.flatMap(({ removed }) => removed)) {
        await completeRemoval(worktree);
      }
    }
    const gone = found.filter((one) => one.runs.length === 0).map(({ id }) => id);
    if (runs.length === 0 && gone[0] !== undefined) throw nothingLeft(gone[0]);
    return { runs, gone };
  };
  return {
    async read(id, paths = []) {
      const found = await find(id);
      const [only, ...others] = found.runs;
      if (only === undefined) throw nothingLeft(found.id);
      if (others.length === 0) {
        const { worktree, remote } = only;
        if (remote === undefined) return await readChanges(worktree, paths);
        return await readRemoteChanges(worktree, remote, paths);
      }
      const ids = [only, ...others].map(({ run }) => run.id).join(", ");
      const message = `Expected a run with its own worktree; below ${id} there are several: ${ids}.`;
      throw new CadreError("invalid-argument", message);
    },
    async merge(ids, options = {}) {
      const { runs, gone } = await findEnded(ids, options.dryRun);
      return { ...(await mergeRuns(runs, options)), gone };
    },
    async discard(id) {
      const discarded: DiscardedRun[] = [];
      for (const one of (await findEnded([id])).runs) {
        const { run, spec, worktree, remote } = one;
        const { tip } = remote ?? (await commitChanges(worktree, commitText(spec)));
        await remove(one);
        discarded.push({ id: run.id, commit: tip });
      }
      return discarded;
    },
  };
}

/** Runs that have ended. */
interface EndedRuns {
  runs: IsolatedRun[];
  /** The ids of the runs that no longer have changes. */
  gone: string[];
}

/** The changes at a remote go last, because the branch is found through them. */
async function remove({ worktree, remote }: IsolatedRun): Promise<void> {
  await removeLinkedWorktree(worktree);
  if (remote !== undefined) await deleteRemoteChanges(worktree, remote);
}

function nothingLeft(id: string): CadreError {
  const message = `The run ${id} has no changes: it changed nothing, or its changes were merged or discarded.`;
  return new CadreError("invalid-argument", message);
}

async function mergeRuns(
  runs: readonly IsolatedRun[],
  { strategy = "merge", dryRun = false, keep = false }: MergeOptions,
): Promise<Omit<MergeReport, "gone">> {
  const [first] = runs;
  if (first === undefined) {
    throw new CadreError("invalid-argument", "Expected at least one run to merge.");
  }
  await requireOneRepository(runs);
  const sources: MergeSource[] = [];
  const left: MergeReport["left"][number][] = [];
  for (const { run, spec, worktree, remote } of runs) {
    if (remote !== undefined && remote.tip === remote.base) throw unchanged(run.id);
    const branch = branchOf(worktree.id);
    if (remote === undefined) {
      // Runs that outlived it may have changed more after its end.
      const { uncommitted } = await commitChanges(worktree, commitText(spec));
      if (uncommitted.length > 0) left.push({ id: run.id, paths: uncommitted });
    } else if (!dryRun) await addRemoteBranch(worktree, remote);
    const { message } = commitText(spec);
    const own = strategy === "merge" ? `Merge ${branch}: ${message}` : message;
    sources.push({ id: run.id, branch: remote?.tip ?? branch, message: own });
  }
  const { into, before, merged, conflicts, files } = await mergeBranches(first.worktree, {
    sources,
    strategy,
    isDryRun: dryRun,
    committer: await readCommitter(first.worktree.from),
  });
  const isRemoved = (id: string): boolean =>
    merged.includes(id) && !left.some((one) => one.id === id);
  if (!dryRun && !keep && strategy !== "patch") {
    for (const one of runs) {
      if (isRemoved(one.run.id)) await remove(one);
    }
  }
  const controlFiles = files.filter((file) => namesControlFile(file.split("/")));
  return { into, before, merged, conflicts, files, controlFiles, left };
}

function unchanged(id: string): CadreError {
  return new CadreError("invalid-argument", `The run ${id} changed nothing. Discard what it left.`);
}

async function requireOneRepository(runs: readonly IsolatedRun[]): Promise<void> {
  const folders = new Map<string, string>();
  for (const { run, worktree } of runs) {
    folders.set((await openRepository(worktree.from)).folder, run.id);
  }
  if (folders.size <= 1) return;
  const list = [...folders].map(([folder, id]) => `${id} into ${folder}`).join(", ");
  const message = `Expected runs whose changes belong into one working tree; got ${list}. Merge them one after another.`;
  throw new CadreError("invalid-argument", message);
}
