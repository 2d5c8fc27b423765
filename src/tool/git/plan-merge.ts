import { identity } from "./commit-changes.ts";
import { runTrailer } from "./commit-text.ts";
import { findCommonCommit } from "./read-changes.ts";
import { type Git, splitNul } from "./run-git.ts";

/** How the commits of a branch become part of HEAD. */
export type MergeStrategy =
  /** A merge commit. */
  | "merge"
  /** One commit with all changes. */
  | "squash"
  /** Each commit, applied again on top of HEAD. */
  | "rebase"
  /** The changes in the index and the working tree, without a commit. */
  | "patch";

/** A branch to merge. */
export interface MergeSource {
  /** The run whose branch it is. */
  id: string;
  branch: string;
  /** The message of a merge or squash commit. */
  message: string;
}

/** A branch that cannot be merged. */
export interface MergeConflict {
  id: string;
  files: readonly {
    /** Relative to the root of the repository. */
    path: string;
    /** The merged runs that also changed the file; `HEAD` for the repository's own commits. */
    changedBy: readonly string[];
  }[];
}

/** A merge tried only in the object database. */
export interface MergePlan {
  /** The ids of the branches that can be merged, in merge order. */
  merged: readonly string[];
  /** Those of them that add nothing, because HEAD contains what they changed. */
  empty: readonly string[];
  conflicts: readonly MergeConflict[];
  /** The commit that HEAD would name. */
  commit: string;
}

/** The name and address of a committer. */
export interface Committer {
  name: string;
  email: string;
}

interface Branch extends MergeSource {
  /** The newest commit that it shares with HEAD. */
  base: string;
  /** Its own newest commit. */
  tip: string;
  files: ReadonlySet<string>;
  /** The number of the other branches that it conflicts with. */
  conflicts: number;
}

/**
 * Tries to merge branches into the commit `head`, starting with those that conflict with the fewest others. Leaves out a branch
 * that conflicts with the ones already merged. Changes no file, index or branch.
 */
export async function planMerge(
  git: Git,
  sources: readonly MergeSource[],
  { head, strategy, committer }: { head: string; strategy: MergeStrategy; committer: Committer },
): Promise<MergePlan> {
  let waiting = await readBranches(git, sources);
  const merged: Branch[] = [];
  const empty: string[] = [];
  const conflicts: MergeConflict[] = [];
  let commit = head;
  while (waiting.length > 0) {
    waiting = waiting.toSorted((left, right) => left.conflicts - right.conflicts);
    const [branch, ...rest] = waiting;
    if (branch === undefined) break;
    waiting = rest;
    const result = await addBranch(git, commit, { branch, strategy, committer });
    if (typeof result === "string") {
      if (result === commit) empty.push(branch.id);
      commit = result;
      merged.push(branch);
    } else {
      conflicts.push({
        id: branch.id,
        files: await nameOthers(git, result, { branch, merged, head }),
      });
    }
  }
  return { merged: merged.map(({ id }) => id), empty, conflicts, commit };
}

async function readBranches(git: Git, sources: readonly MergeSource[]): Promise<Branch[]> {
  const branches: Branch[] = [];
  for (const source of sources) {
    const base = await findCommonCommit(git, source.branch);
    branches.push({
      ...source,
      base,
      tip: (await git(["rev-parse", "--verify", `${source.branch}^{commit}`])).trim(),
      files: await changedFiles(git, base, source.branch),
      conflicts: 0,
    });
  }
  for (const [index, left] of branches.entries()) {
    for (const right of branches.slice(index + 1)) {
      // Branches that change different files cannot conflict, except where a file takes the place of a folder.
      if (![...left.files].some((file) => right.files.has(file))) continue;
      if ((await mergeTrees(git, left.branch, right.branch)).conflicts.length === 0) continue;
      left.conflicts += 1;
      right.conflicts += 1;
    }
  }
  return branches;
}

/** Returns the commit that also contains a branch, or the files in conflict. */
async function addBranch(
  git: Git,
  onto: string,
  {
    branch,
    strategy,
    committer,
  }: { branch: Branch; strategy: MergeStrategy; committer: Committer },
): Promise<string | readonly string[]> {
  const variables = identity(committer.name, committer.email);
  // HEAD already contains it: an earlier merge was interrupted after its end.
  if (branch.base === branch.tip) return onto;
  if (strategy === "rebase") return await replay(git, onto, { branch, variables });
  const { tree, conflicts } = await mergeTrees(git, onto, branch.branch);
  if (conflicts.length > 0) return conflicts;
  if (strategy !== "merge" && tree === (await treeOf(git, onto))) return onto;
  const parents = strategy === "merge" ? ["-p", onto, "-p", branch.branch] : ["-p", onto];
  return await commitTree(git, tree, { parents, message: branch.message, variables });
}

/**
 * Applies each commit of a branch again. Like `git rebase`, leaves out merge commits and commits that change nothing on top of
 * HEAD.
 */
async function replay(
  git: Git,
  onto: string,
  { branch, variables }: { branch: Branch; variables: ReturnType<typeof identity> },
): Promise<string | readonly string[]> {
  const range = `${branch.base}..${branch.branch}`;
  const listed = await git(["rev-list", "--reverse", "--no-merges", "--topo-order", range]);
  let tip = onto;
  for (const commit of listed.split("\n").filter((line) => line !== "")) {
    // `git merge-tree` takes the merge base from the history, so each side becomes a commit on the base.
    const bare = { parents: [], message: "base", variables };
    const base = await commitTree(git, `${commit}^^{tree}`, bare);
    const side = { parents: ["-p", base], message: "side", variables };
    const ours = await commitTree(git, `${tip}^{tree}`, side);
    const theirs = await commitTree(git, `${commit}^{tree}`, side);
    const { tree, conflicts } = await mergeTrees(git, ours, theirs);
    if (conflicts.length > 0) return conflicts;
    if (tree === (await treeOf(git, tip))) continue;
    const [author = "", email = "", date = "", ...message] = (
      await git(["show", "--no-patch", "--format=%an%n%ae%n%aI%n%B", commit])
    ).split("\n");
    const own = {
      ...variables,
      GIT_AUTHOR_NAME: author,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
    };
    const text = nameRun(message.join("\n").trimEnd(), branch.id);
    tip = await commitTree(git, tree, { parents: ["-p", tip], message: text, variables: own });
  }
  return tip;
}

/** Adds the name of the run to the message of a commit that an agent made itself, so that the merge can be found later. */
function nameRun(message: string, id: string): string {
  const trailer = runTrailer(id);
  return message.includes(trailer) ? message : `${message}\n\n${trailer}`;
}

/** Returns the tree of a commit. */
async function treeOf(git: Git, commit: string): Promise<string> {
  return (await git(["rev-parse", "--verify", `${commit}^{tree}`])).trim();
}

interface CommitParts {
  parents: readonly string[];
  message: string;
  variables: ReturnType<typeof identity>;
}

async function commitTree(
  git: Git,
  tree: string,
  { parents, message, variables }: CommitParts,
): Promise<string> {
  const name = (await git(["rev-parse", "--verify", tree])).trim();
  const words = ["commit-tree", name, ...parents, "-F", "-"];
  return (await git(words, { input: message, variables })).trim();
}

async function mergeTrees(
  git: Git,
  ours: string,
  theirs: string,
): Promise<{ tree: string; conflicts: readonly string[] }> {
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const [tree = "", ...conflicts] = splitNul(await git(words, { resultCode: 1 }));
  return { tree, conflicts };
}

/** Returns the files that differ between two commits or trees. */
export async function changedFiles(git: Git, from: string, to: string): Promise<Set<string>> {
  return new Set(splitNul(await git(["diff-tree", "-r", "-z", "--name-only", from, to])));
}

/** Returns the files of the commit `to` that differ in `from` or that it lacks. */
export async function writtenFiles(git: Git, from: string, to: string): Promise<string[]> {
  const words = ["diff-tree", "-r", "-z", "--name-only", "--diff-filter=d", "--no-renames"];
  return splitNul(await git([...words, from, to]));
}

async function nameOthers(
  git: Git,
  paths: readonly string[],
  { branch, merged, head }: { branch: Branch; merged: readonly Branch[]; head: string },
): Promise<MergeConflict["files"]> {
  const own = await changedFiles(git, branch.base, head);
  return paths.map((path) => ({
    path,
    changedBy: [
      ...(own.has(path) ? ["HEAD"] : []),
      ...merged.filter(({ files }) => files.has(path)).map(({ id }) => id),
    ],
  }));
}
