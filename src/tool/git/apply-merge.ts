import { existsSync } from "node:fs";
import { join } from "node:path";
import { CadreError } from "../../errors.ts";
import { quoteWord } from "../../source/shell/quote-word.ts";
import { findBlockingFiles } from "./find-blocking-files.ts";
import { findFilters, type UnappliedFilter } from "./find-filters.ts";
import type { Repository } from "./open-repository.ts";
import {
  changedFiles,
  type Committer,
  type MergePlan,
  type MergeSource,
  type MergeStrategy,
  planMerge,
  writtenFiles,
} from "./plan-merge.ts";
import type { Git, GitFolders } from "./run-git.ts";
import { inRepository, type LinkedWorktree } from "./worktree-folder.ts";
import { errorMessage } from "../../error-message.ts";

/** A merge of the branches of runs. */
export interface MergeRequest {
  sources: readonly MergeSource[];
  strategy: MergeStrategy;
  /** Only tries the merge and changes nothing. */
  isDryRun: boolean;
  committer: Committer;
}

/** The result of a merge, or of a dry run. */
export interface MergeResult extends MergePlan {
  /** The root of the repository whose HEAD changed. */
  into: string;
  /** The commit that HEAD named before. */
  before: string;
  /** The changed files, relative to the root. */
  files: readonly string[];
}

/** The maximum number of files with local changes to name. */
const maxNamed = 10;

/** Git's unfinished operations, by the file that each leaves in the git folder. */
const unfinished: readonly string[] = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "rebase-merge",
  "rebase-apply",
];

/**
 * Merges the branches of runs into the HEAD of the repository that the worktrees belong to, and updates its working tree. Leaves
 * out conflicting branches and names them in the result. HEAD changes last, so an interrupted merge can be repeated. Executes no
 * hook and no filter.
 *
 * @throws CadreError `tool-unavailable` when local changes are in the way, when another git operation is unfinished, or when the
 * merge needs a filter such as git-lfs. Nothing is then changed.
 */
export async function mergeBranches(
  worktree: Pick<LinkedWorktree, "root" | "from">,
  { sources, strategy, isDryRun, committer }: MergeRequest,
): Promise<MergeResult> {
  return await inRepository(worktree, async (git, repository) => {
    checkFinished(repository);
    const before = (await git(["rev-parse", "--verify", "HEAD^{commit}"])).trim();
    const plan = await planMerge(git, sources, { head: before, strategy, committer });
    const files = [...(await changedFiles(git, before, plan.commit))];
    const result = { ...plan, into: repository.folder, before, files };
    if (isDryRun || plan.merged.length === 0) return result;
    const folders = { gitFolder: repository.gitFolder, worktree: repository.folder };
    const written = await writtenFiles(git, before, plan.commit);
    await checkFilters(git, folders, { files: written, sources });
    await updateFiles(git, folders, result);
    if (strategy !== "patch") {
      const message = `cadre: ${strategy} ${plan.merged.join(" ")}`;
      await git(["update-ref", "-m", message, "HEAD", plan.commit, before], folders);
    }
    return result;
  });
}

function checkFinished({ folder, gitFolder }: Repository): void {
  const found = unfinished.find((name) => existsSync(join(gitFolder, name)));
  if (found === undefined) return;
  const message = `Expected no unfinished operation of git in ${folder}; there is ${found}. Finish or abort it first, as \`git status\` says.`;
  throw new CadreError("tool-unavailable", message);
}

/**
 * Refuses files that need a filter. Cadre's git would write their stored form into the working tree, and it committed the agent's
 * version without the filter. The command in the message avoids both.
 */
async function checkFilters(
  git: Git,
  folders: GitFolders,
  { files, sources }: { files: readonly string[]; sources: readonly MergeSource[] },
): Promise<void> {
  const filters = await findFilters(git, folders, files);
  if (filters.length === 0) return;
  const names = filters.map(({ name }) => name).join(", ");
  const command = mergeCommand(filters, sources);
  const message = `Expected no files that go through a git filter (${names}), which Cadre does not execute; found ${filters[0]?.files[0]}. Merge with: ${command}`;
  throw new CadreError("tool-unavailable", message);
}

/**
 * Returns the command that merges filtered files. Filters such as git-lfs pass through content that is not stored through them
 * yet.
 */
function mergeCommand(
  filters: readonly UnappliedFilter[],
  sources: readonly MergeSource[],
): string {
  const merge = ["git", "merge", "--squash", ...sources.map(({ branch }) => branch)];
  const add = ["git", "add", "--renormalize", "--", ...filters.flatMap(({ files }) => files)];
  return [merge, add, ["git", "commit"]]
    .map((words) => words.map(quoteWord).join(" "))
    .join(" && ");
}

async function updateFiles(
  git: Git,
  folders: GitFolders,
  { before, commit, into, files }: MergeResult,
): Promise<void> {
  // A file with a new time but the same content is not a local change.
  await git(["update-index", "-q", "--refresh"], { ...folders, resultCode: 1 });
  try {
    await git(["read-tree", "-m", "-u", before, commit], folders);
  } catch (error) {
    const blocking = await findBlockingFiles(git, folders, { before, commit, files });
    const others = blocking.length - maxNamed;
    const more = others > 0 ? ` and ${others} more` : "";
    // An untracked file in the place of a folder, for example, is named by git only.
    const which =
      blocking.length === 0
        ? errorMessage(error)
        : `those in ${blocking.slice(0, maxNamed).join(", ")}${more}`;
    const message = `Local changes in ${into} are in the way of the merge: ${which}. Nothing was merged. Commit or stash them first.`;
    throw new CadreError("tool-unavailable", message, { cause: error });
  }
}
