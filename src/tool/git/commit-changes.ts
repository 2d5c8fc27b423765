import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./open-repository.ts";
import { type Git, type GitOptions, type GitFolders, splitNul } from "./run-git.ts";
import { branchOf, inRepository, type LinkedWorktree, gitFoldersOf } from "./worktree-folder.ts";

/** The author and the text of a commit. */
export interface CommitText {
  author: string;
  message: string;
}

/** The changes in a worktree that its repository lacks. */
export interface WorktreeChanges {
  /** The last commit of its branch. */
  tip: string;
  /** The number of commits that are in no other branch, tag or remote. */
  commits: number;
  /** Paths that cannot be committed: separate repositories, and content of submodules. Relative to the worktree. */
  uncommitted: readonly string[];
}

/** The files of a worktree that differ from its last commit, relative to the worktree. */
export interface ChangedFiles {
  written: readonly string[];
  deleted: readonly string[];
  /** See {@link WorktreeChanges.uncommitted}. */
  uncommitted: readonly string[];
}

/** Commits all changes in a worktree to its branch, if there are any. Executes no hook and no filter. */
export async function commitChanges(
  worktree: LinkedWorktree,
  { author, message }: CommitText,
): Promise<WorktreeChanges> {
  return await inRepository(worktree, async (git, repository) => {
    const folders = gitFoldersOf(worktree, repository);
    const variables = identity(author, `${worktree.id}@cadre.invalid`);
    const committed = await commitFiles(git, folders, { message, variables });
    const commits = await countCommits(git, folders, { repository, id: worktree.id });
    return { ...committed, commits };
  });
}

/** Commits all changes in a working tree to the branch or commit that HEAD names, if there are any. */
export async function commitFiles(
  git: Git,
  folders: GitFolders,
  { message, variables }: { message: string; variables: ReturnType<typeof identity> },
): Promise<Omit<WorktreeChanges, "commits">> {
  const changed = await findChangedFiles(git, folders);
  const tree = await writeTree(git, folders, changed);
  const [parent = "", treeOfParent] = await readNames(git, ["HEAD", "HEAD^{tree}"], folders);
  let tip = parent;
  if (tree !== treeOfParent) {
    const words = ["commit-tree", tree, "-p", parent, "-m", message];
    tip = (await git(words, { ...folders, variables })).trim();
    await git(["update-ref", "HEAD", tip, parent], folders);
  }
  return { tip, uncommitted: changed.uncommitted };
}

/** Returns the names (hashes) of objects. */
export async function readNames(
  git: Git,
  objects: readonly string[],
  options?: GitOptions,
): Promise<string[]> {
  return (await git(["rev-parse", ...objects], options)).trim().split("\n");
}

/** Returns the variables that name the author and committer of a commit. */
export function identity(name: string, email: string): Record<`GIT_${string}`, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/**
 * Writes the content of a worktree as a tree, without changing its index, and returns the tree's name. Calls `check` with the
 * files that differ from HEAD before their content is stored.
 */
export async function snapshot(
  git: Git,
  folders: GitFolders,
  folder: string,
  check: (changed: ChangedFiles) => Promise<void> = async () => undefined,
): Promise<string> {
  const changed = await findChangedFiles(git, folders);
  await check(changed);
  const own = { ...folders, variables: { GIT_INDEX_FILE: join(folder, "snapshot-index") } };
  await git(["read-tree", "HEAD"], own);
  return await writeTree(git, own, changed);
}

async function writeTree(
  git: Git,
  options: GitOptions,
  { written, deleted }: ChangedFiles,
): Promise<string> {
  const update = async (flags: readonly string[], files: readonly string[]): Promise<void> => {
    if (files.length === 0) return;
    const input = files.map((file) => `${file}\0`).join("");
    await git(["update-index", ...flags, "-z", "--stdin"], { ...options, input });
  };
  // Deletions come first: a file may have taken the place of a folder.
  await update(["--force-remove"], deleted);
  await update(["--add", "--replace"], written);
  return (await git(["write-tree"], options)).trim();
}

async function countCommits(
  git: Git,
  folders: GitFolders,
  { repository, id }: { repository: Repository; id: string },
): Promise<number> {
  // The repository's HEAD may be detached. A worktree that was opened by itself has no other HEAD.
  const isAlone = repository.gitFolder === folders.gitFolder;
  const head = isAlone ? [] : [(await git(["rev-parse", "HEAD"])).trim()];
  const others = ["--not", ...head, `--exclude=${branchOf(id)}`];
  const everywhere = ["--branches", "--tags", "--remotes"];
  return Number(await git(["rev-list", "--count", "HEAD", ...others, ...everywhere], folders));
}

/**
 * Finds changed files. Does not enter submodules and other repositories in the worktree, because git would execute their
 * configuration. A new worktree has no submodules, so the run itself created their content.
 */
export async function findChangedFiles(git: Git, folders: GitFolders): Promise<ChangedFiles> {
  const words = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"];
  const status = splitNul(await git([...words, "--untracked-files=all"], folders));
  const changed = status.map((line) => ({
    path: line.slice(3),
    isDeleted: line.slice(0, 2).includes("D"),
  }));
  const staged = splitNul(await git(["ls-files", "--stage", "-z"], folders));
  const submodules = staged.flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? []);
  const filled = await Promise.all(
    submodules.map((path) => hasContent(join(folders.worktree, path))),
  );
  // Git lists a repository in an untracked folder with a slash at its end, and does not enter it.
  const repositories = changed.filter(({ path }) => path.endsWith("/")).map(({ path }) => path);
  const left = new Set([...repositories, ...submodules]);
  const files = changed.filter(({ path }) => !left.has(path));
  return {
    written: files.filter(({ isDeleted }) => !isDeleted).map(({ path }) => path),
    deleted: files.filter(({ isDeleted }) => isDeleted).map(({ path }) => path),
    uncommitted: [...repositories, ...submodules.filter((_, index) => filled[index] === true)],
  };
}

async function hasContent(folder: string): Promise<boolean> {
  const content = await readdir(folder).catch(() => []);
  return content.length > 0;
}
