// Changes of runs in worktrees and at remotes: reads, merges and discards them.

import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run } from "../../run/run.ts";
import { commitChanges } from "../../tool/git/commit-changes.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import { completeRemoval } from "../../tool/git/linked-worktree.ts";
import { readChanges } from "../../tool/git/read-changes.ts";
import {
  type WorktreeSources,
  findWorktrees,
  type FoundWorktrees,
  type IsolatedRun,
  requireEnded,
} from "./find-worktrees.ts";
import { describeGone, explainGone } from "./explain-gone.ts";
import { listUnmerged } from "./list-unmerged.ts";
import { mergeRuns } from "./merge-runs.ts";
import { readRemoteChanges } from "./remote-changes.ts";
import { removeChanges } from "./remove-changes.ts";
import type { DiscardedRun, GoneChanges, RunChanges } from "../run-changes.ts";

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
  const explain = async (removed: readonly IsolatedRun[]): Promise<GoneChanges[]> => {
    const gone: GoneChanges[] = [];
    // One after another: a family may have hundreds, and each starts processes.
    for (const one of removed) gone.push(await explainGone(one, sources.cwd));
    return gone;
  };
  const findEnded = async (ids: readonly string[], isTried = false): Promise<EndedRuns> => {
    const found = await Promise.all(ids.map(find));
    const all = found.flatMap(({ runs }) => runs);
    const runs = [...new Map(all.map((one) => [one.worktree.id, one])).values()];
    for (const one of runs) await requireEnded(registry(), one);
    if (!isTried) {
      for (const { worktree } of found.flatMap(({ removed }) => removed)) {
        await completeRemoval(worktree);
      }
    }
    const empty = found.filter((one) => one.runs.length === 0);
    const gone = await explain(empty.flatMap(({ removed }) => removed));
    if (runs.length === 0 && empty[0] !== undefined) throw nothingLeft(empty[0].id, gone);
    return { runs, gone };
  };
  return {
    list: async (id) =>
      await listUnmerged(registry, sources, id === undefined ? undefined : await findRun(id)),
    async read(id, paths = []) {
      const found = await find(id);
      const [only, ...others] = found.runs;
      if (only === undefined) throw nothingLeft(found.id, await explain(found.removed));
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
        const atRemote = remote && { tip: remote.tip, uncommitted: [] };
        const found = atRemote ?? (await commitChanges(worktree, commitText(spec)));
        await removeChanges(one);
        discarded.push({ id: run.id, commit: found.tip, lost: found.uncommitted });
      }
      return discarded;
    },
  };
}

/** Runs that have ended. */
interface EndedRuns {
  runs: IsolatedRun[];
  /** The runs without changes. */
  gone: GoneChanges[];
}

/** The maximum number of runs whose changes an error explains. */
const maxExplained = 10;

function nothingLeft(id: string, gone: readonly GoneChanges[]): CadreError {
  const others = gone.length - maxExplained;
  const sentences = gone.slice(0, maxExplained).map(describeGone);
  if (others > 0) sentences.push(`${others} other runs below it have none either.`);
  const message = `Expected a run with unmerged changes; got ${id}. ${sentences.join(" ")} \`cadre diff\` lists the runs that have some.`;
  return new CadreError("invalid-argument", message);
}
