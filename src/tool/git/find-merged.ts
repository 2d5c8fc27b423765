import { runTrailer } from "./commit-text.ts";
import { branchOf, inRepository, type LinkedWorktree } from "./worktree-folder.ts";

/** A commit with the changes of a run. */
export interface MergedChanges {
  commit: string;
  /** The first branches that contain it; none when only a detached HEAD does. */
  branches: readonly string[];
}

/** The maximum number of branches to name. */
const maxBranches = 3;

/**
 * Finds the newest commit that names the run `runId` and that HEAD or a branch other than those of runs contains; `undefined` if
 * there is none. Reads commits made after `since` (epoch milliseconds) only.
 */
export async function findMerged(
  worktree: LinkedWorktree,
  { runId, since }: { runId: string; since: number },
): Promise<MergedChanges | undefined> {
  return await inRepository(worktree, async (git) => {
    const commits = ["rev-list", "--max-count=1", `--max-age=${Math.floor(since / 1000)}`];
    const naming = ["--fixed-strings", `--grep=${runTrailer(runId)}`];
    // After a kill, the branch of the run may still be there.
    const places = ["HEAD", `--exclude=${branchOf("*")}`, "--branches"];
    const commit = (await git([...commits, ...naming, ...places])).trim();
    if (commit === "") return undefined;
    const words = ["for-each-ref", `--contains=${commit}`, "--format=%(refname:lstrip=2)"];
    const refs = (await git([...words, "refs/heads"])).split("\n");
    const branches = refs.filter((name) => name !== "" && !name.startsWith(branchOf("")));
    return { commit, branches: branches.slice(0, maxBranches) };
  });
}
