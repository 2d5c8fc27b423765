import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CadreError } from "../../errors.ts";
import { openRepository, type Repository } from "./open-repository.ts";
import { type Git, type GitPlace, withGit } from "./run-git.ts";

/** A worktree that Cadre makes of a repository. */
export interface LinkedWorktree {
  /** Its folder; absolute and real. */
  root: string;
  /** A folder of the repository whose HEAD is checked out; absolute. */
  from: string;
  /** The worktree's name in the repository. */
  id: string;
}

/** A git filter, such as `lfs`, and the files that attributes assign to it. */
export interface UnappliedFilter {
  name: string;
  /** Relative to the worktree. */
  files: readonly string[];
}

/** The changes in a worktree that its repository does not have. */
export interface WorktreeChanges {
  /** The number of uncommitted files. */
  files: number;
  /** The number of commits that no other branch, tag or remote has. */
  commits: number;
}

/** Returns the branch of a worktree. */
export function branchOf(id: string): string {
  return `cadre/${id}`;
}

/**
 * Creates a worktree on its own branch and replaces one that was left incomplete. Resolves with the filters that were not
 * applied: git would have to execute them, so the files are as git stores them.
 *
 * This function writes the files of the worktree itself. `git worktree add` would write the path of the folder that {@link
 * withGit} gives to git into them.
 *
 * @throws CadreError `tool-unavailable`, for example for a repository without a commit.
 */
export async function addWorktree(worktree: LinkedWorktree): Promise<UnappliedFilter[]> {
  const { root, id } = worktree;
  return await inRepository(worktree, async (git, repository) => {
    await rm(root, { recursive: true, force: true });
    const commit = await findCommit(git, repository);
    const place = placeOf(worktree, repository);
    await rm(place.gitFolder, { recursive: true, force: true });
    await mkdir(place.gitFolder, { recursive: true });
    await writeFile(join(place.gitFolder, "commondir"), "../..\n");
    await writeFile(join(place.gitFolder, "gitdir"), `${join(root, ".git")}\n`);
    await writeFile(join(place.gitFolder, "HEAD"), `ref: refs/heads/${branchOf(id)}\n`);
    await git(["update-ref", `refs/heads/${branchOf(id)}`, commit]);
    await mkdir(root, { recursive: true });
    await writeFile(join(root, ".git"), `gitdir: ${place.gitFolder}\n`);
    await git(["read-tree", "-m", "-u", "HEAD"], place);
    return await findFilters(git, place);
  });
}

/** Removes a worktree and its branch, including uncommitted work. */
export async function removeLinkedWorktree(worktree: LinkedWorktree): Promise<void> {
  const { root, id } = worktree;
  await inRepository(worktree, async (git, repository) => {
    const { gitFolder } = placeOf(worktree, repository);
    await rm(root, { recursive: true, force: true });
    await rm(gitFolder, { recursive: true, force: true });
    // Git also removes the folder with the last worktree.
    await rmdir(dirname(gitFolder)).catch(() => undefined);
    await git(["update-ref", "-d", `refs/heads/${branchOf(id)}`]);
  });
}

/** Counts the changes in a worktree. A file that a filter changed on checkout may count although it equals the commit. */
export async function findChanges(worktree: LinkedWorktree): Promise<WorktreeChanges> {
  return await inRepository(worktree, async (git, repository) => {
    const place = placeOf(worktree, repository);
    const head = (await git(["rev-parse", "HEAD"])).trim();
    const others = ["--not", head, `--exclude=${branchOf(worktree.id)}`];
    const everywhere = ["--branches", "--tags", "--remotes"];
    const count = await git(["rev-list", "--count", "HEAD", ...others, ...everywhere], place);
    return { files: (await changedFiles(git, place)).length, commits: Number(count) };
  });
}

async function findCommit(git: Git, { folder }: Repository): Promise<string> {
  try {
    return (await git(["rev-parse", "--verify", "HEAD^{commit}"])).trim();
  } catch (error) {
    const message = `Expected a commit to make a worktree of; HEAD of the git repository ${folder} names none. Create the first one with \`git commit\`.`;
    throw new CadreError("tool-unavailable", message, { cause: error });
  }
}

async function inRepository<Value>(
  { root, from }: LinkedWorktree,
  work: (git: Git, repository: Repository) => Promise<Value>,
): Promise<Value> {
  const repository = await openRepository(from);
  await mkdir(dirname(root), { recursive: true, mode: 0o700 });
  return await withGit(repository, `${root}.git`, async (git) => await work(git, repository));
}

function placeOf({ root, id }: LinkedWorktree, { commonFolder }: Repository): GitPlace {
  return { gitFolder: join(commonFolder, "worktrees", id), worktree: root };
}

/**
 * Lists changed files. Submodules are checked from outside, because git would execute their configuration. A new worktree has no
 * submodules, so the run put there whatever they contain.
 */
async function changedFiles(git: Git, place: GitPlace): Promise<string[]> {
  const status = await git(
    ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"],
    place,
  );
  const files = split(await git(["ls-files", "--stage", "-z"], place));
  const submodules = files.flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? []);
  const contents = await Promise.all(
    submodules.map((path) => readdir(join(place.worktree, path)).catch(() => [])),
  );
  return [...split(status), ...submodules.filter((_, index) => contents[index]?.length !== 0)];
}

async function findFilters(git: Git, place: GitPlace): Promise<UnappliedFilter[]> {
  const input = await git(["ls-files", "-z"], place);
  const words = await git(["check-attr", "-z", "--stdin", "filter"], { ...place, input });
  const filters = new Map<string, string[]>();
  for (const [, path = "", name = ""] of words.matchAll(/([^\0]+)\0filter\0([^\0]*)\0/g)) {
    if (["unspecified", "unset", "set", ""].includes(name)) continue;
    const files = filters.get(name);
    if (files === undefined) filters.set(name, [path]);
    else files.push(path);
  }
  return [...filters].map(([name, files]) => ({ name, files }));
}

function split(text: string): string[] {
  return text.split("\0").filter((one) => one !== "");
}
