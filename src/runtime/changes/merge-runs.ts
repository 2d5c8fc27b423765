import { CadreError } from "../../errors.ts";
import { namesControlFile } from "../../tool/control-file/control-names.ts";
import { mergeBranches } from "../../tool/git/apply-merge.ts";
import { commitChanges } from "../../tool/git/commit-changes.ts";
import { commitText } from "../../tool/git/commit-text.ts";
import { readCommitter } from "../../tool/git/committer.ts";
import { openRepository } from "../../tool/git/open-repository.ts";
import type { MergeSource } from "../../tool/git/plan-merge.ts";
import { toLeftContent } from "../../tool/git/read-changes.ts";
import { branchOf } from "../../tool/git/worktree-folder.ts";
import type { MergeOptions, MergeReport } from "../run-changes.ts";
import type { IsolatedRun } from "./find-worktrees.ts";
import { addRemoteBranch } from "./remote-changes.ts";
import { removeChanges } from "./remove-changes.ts";

/** Merges the changes of runs that have ended; see `RunChanges.merge`. */
export async function mergeRuns(
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
      const content = toLeftContent(worktree, uncommitted);
      if (content !== null) left.push({ id: run.id, ...content });
    } else if (!dryRun) await addRemoteBranch(worktree, remote);
    const { message } = commitText(spec);
    const own = strategy === "merge" ? `Merge ${branch}: ${message}` : message;
    sources.push({ id: run.id, branch: remote?.tip ?? branch, message: own });
  }
  const result = await mergeBranches(first.worktree, {
    sources,
    strategy,
    isDryRun: dryRun,
    committer: await readCommitter(first.worktree.from),
  });
  const { into, before, empty, conflicts, files } = result;
  const hasLeft = (id: string): boolean => left.some((one) => one.id === id);
  const merged = result.merged.filter((id) => !(empty.includes(id) && hasLeft(id)));
  if (!dryRun && !keep && strategy !== "patch") {
    for (const one of runs) {
      if (merged.includes(one.run.id) && !hasLeft(one.run.id)) await removeChanges(one);
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
