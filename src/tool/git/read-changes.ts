import { existsSync } from "node:fs";
import { type ChangedFiles, snapshot } from "./commit-changes.ts";
import { type Git, splitNul } from "./run-git.ts";
import { branchOf, inRepository, type LinkedWorktree, gitFoldersOf } from "./worktree-folder.ts";

/** A changed file. */
export interface ChangedFile {
  /** Relative to the root of the repository. */
  path: string;
  status: "added" | "modified" | "deleted" | "type-changed";
  /** The number of added and deleted lines; `null` for a binary file. */
  added: number | null;
  deleted: number | null;
}

/** The changes of a run since the commit from which its worktree started. */
export interface ChangeSet {
  branch: string;
  /** The commit that the changes are relative to. */
  base: string;
  files: readonly ChangedFile[];
  /** A patch that `git apply` accepts, binary files included. */
  patch: string;
  /** Content of the worktree that is not part of the patch; `null` = none. */
  left: LeftContent | null;
}

/** Content of a worktree that no commit can contain: separate repositories, and files in the folders of submodules. */
export interface LeftContent {
  /** The worktree; absolute. */
  folder: string;
  /** Relative to `folder`. */
  paths: readonly string[];
}

const statuses: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  T: "type-changed",
};

/**
 * Reads the changes in a worktree, committed or not. `paths` are the files or folders to read, relative to the root of the
 * repository; none means all.
 *
 * @throws CadreError `tool-unavailable` when the worktree and its branch no longer exist.
 */
export async function readChanges(
  worktree: LinkedWorktree,
  paths: readonly string[] = [],
): Promise<ChangeSet> {
  return await inRepository(worktree, async (git, repository, folder) => {
    const branch = branchOf(worktree.id);
    const base = await findCommonCommit(git, branch);
    const folders = gitFoldersOf(worktree, repository);
    let left: LeftContent | null = null;
    const check = async ({ uncommitted }: ChangedFiles): Promise<void> => {
      left = toLeftContent(worktree, uncommitted);
    };
    const isThere = existsSync(worktree.root);
    const content = isThere ? await snapshot(git, folders, folder, check) : branch;
    return { branch, ...(await compareTrees(git, { base, content, paths })), left };
  });
}

/** Returns the content of a worktree that could not be committed; `null` for none. */
export function toLeftContent(
  { root }: LinkedWorktree,
  uncommitted: readonly string[],
): LeftContent | null {
  return uncommitted.length === 0 ? null : { folder: root, paths: uncommitted };
}

/** Compares the commit `base` with a commit or tree. `paths` are relative to the root of the repository; none means all. */
export async function compareTrees(
  git: Git,
  { base, content, paths }: { base: string; content: string; paths: readonly string[] },
): Promise<Omit<ChangeSet, "branch" | "left">> {
  const only = paths.map((path) => `:(top,literal)${path}`);
  const compare = async (...form: string[]): Promise<string> =>
    await git(["diff-tree", "-r", "--no-renames", ...form, base, content, "--", ...only]);
  const files = toFiles(await compare("-z", "--name-status"), await compare("-z", "--numstat"));
  return { base, files, patch: await compare("-p", "--binary", "--full-index") };
}

/** Returns the commit that a branch and HEAD have in common. */
export async function findCommonCommit(git: Git, branch: string): Promise<string> {
  return (await git(["merge-base", "HEAD", branch])).trim();
}

function toFiles(nameStatus: string, numstat: string): ChangedFile[] {
  const words = splitNul(nameStatus);
  const lines = new Map(
    splitNul(numstat).map((line) => {
      const [added = "-", deleted = "-", path = ""] = line.split("\t");
      return [path, { added: toCount(added), deleted: toCount(deleted) }];
    }),
  );
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const path = words[index + 1] ?? "";
    const status = statuses[words[index] ?? ""] ?? "modified";
    files.push({ path, status, ...(lines.get(path) ?? { added: null, deleted: null }) });
  }
  return files;
}

function toCount(text: string): number | null {
  return text === "-" ? null : Number(text);
}
