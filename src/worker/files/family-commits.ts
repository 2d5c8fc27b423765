// The commits in which a worker records a family's files, and the refs that name them.

import { setTimeout as delay } from "node:timers/promises";
import { CadreError } from "../../errors.ts";
import { readRecordedCommits, type RecordedFiles } from "../../registry/recorded-files.ts";
import type { Registry } from "../../registry/registry.ts";
import {
  commitFiles,
  type CommitText,
  identity,
  type WorktreeChanges,
} from "../../tool/git/commit-changes.ts";
import { runTrailer } from "../../tool/git/commit-text.ts";
import { isLasting } from "../../tool/git/git-failure.ts";
import {
  familyRefs,
  fetchRefs,
  listRefs,
  pushRefs,
  type RefChange,
} from "../../tool/git/remote/transfer.ts";
import type { Git, GitFolders } from "../../tool/git/run-git.ts";
import { gitFoldersOf, inRepository, type LinkedWorktree } from "../../tool/git/worktree-folder.ts";
import { describeMoved, findTip } from "./find-tip.ts";
import { fetchInTurn, type Mirror } from "./mirror.ts";

/** The files of one family, with the commits that this worker knows. */
export interface FamilyCommits {
  readonly files: RecordedFiles;
  readonly mirror: Mirror;
  /** The checkout of the mirror in which the family works. */
  readonly checkout: LinkedWorktree;
  /** Names the attempt in commits. */
  readonly attempt: number;
  /** The last commit of the files on this machine. */
  tip: string;
  /** The last known commit of the work ref at the remote; `null` = the ref does not exist. */
  pushed: string | null;
}

/** The pauses before a push is retried, in milliseconds. */
const pauses: readonly number[] = [500, 2000, 5000, 15_000, 30_000];

const author = identity("cadre", "cadre@cadre.invalid");

/** Commits and pushes the current files, unless nothing changed. */
export async function recordCheckout(
  commits: FamilyCommits,
  message: string,
): Promise<Omit<WorktreeChanges, "commits">> {
  return await inMirror(commits, async (git, own) => {
    const made = await commitFiles(git, own, { message, variables: author });
    if (made.tip !== commits.tip) await advance(git, commits, made.tip);
    return made;
  });
}

/**
 * Moves the files to the last commit that the journal names, and gives the work ref a new commit. The family's previous worker
 * does not know this commit, so its pushes are refused.
 */
export async function takeFiles(commits: FamilyCommits, registry: Registry): Promise<void> {
  const { files, mirror, attempt } = commits;
  const refs = familyRefs(files.rootId);
  const recorded = await readRecordedCommits(registry, files);
  await inMirror(commits, async (git, own) => {
    const found = (await fetchRef(git, mirror, refs.work)) ?? null;
    const last = await findTip(git, { files, refs, found, recorded });
    const words = ["commit-tree", `${last}^{tree}`, "-p", last, "-m", `Attempt ${attempt}`];
    const taken = (await git(words, { variables: author })).trim();
    await moveHead(git, own, taken);
    commits.pushed = found;
    await advance(git, commits, taken);
  });
}

/** Commits all changes of the family as one commit, and creates its branch. Resolves with false when there are no changes. */
export async function publishChanges(
  { files, tip, ...options }: FamilyCommits,
  text: CommitText,
): Promise<boolean> {
  const { result } = familyRefs(files.rootId);
  return await inMirror(options, async (git) => {
    const treeOf = async (commit: string): Promise<string> =>
      (await git(["rev-parse", `${commit}^{tree}`])).trim();
    const tree = await treeOf(tip);
    if (tree === (await treeOf(files.commit))) return false;
    const found = await fetchRef(git, options.mirror, result);
    if (found !== undefined) await requireOwn(git, { files, commit: found });
    if (found !== undefined && (await treeOf(found)) === tree) return true;
    const variables = identity(text.author, "cadre@cadre.invalid");
    const words = ["commit-tree", tree, "-p", files.commit, "-m", text.message];
    const commit = (await git(words, { variables })).trim();
    await push(git, options.mirror, { ref: result, from: found ?? null, to: commit });
    return true;
  });
}

/** Refuses a branch that is not an earlier result of the family. */
async function requireOwn(
  git: Git,
  { files, commit }: { files: RecordedFiles; commit: string },
): Promise<void> {
  const { rootId, remote } = files;
  const parents = (await git(["show", "--no-patch", "--format=%P", commit])).trim();
  const text = await git(["show", "--no-patch", "--format=%B", commit]);
  if (parents === files.commit && text.includes(runTrailer(rootId))) return;
  const message = `Expected no branch cadre/${rootId} at ${remote}, or one of this run; it names ${commit}, which another program created. Rename or delete it.`;
  throw new CadreError("tool-unavailable", message);
}

/** Deletes the refs of the family at the remote, except the branch with its changes. */
export async function deleteFamilyRefs({ files, ...options }: FamilyCommits): Promise<void> {
  const { base, work } = familyRefs(files.rootId);
  const { url } = options.mirror;
  await inMirror(options, async (git) => {
    const found = await listRefs(git, url, [base, work]);
    const changes = [...found].map(([ref, from]) => ({ ref, from, to: null }));
    if (changes.length > 0) await pushRefs(git, url, changes);
  });
}

async function inMirror<Value>(
  { mirror, checkout }: Pick<FamilyCommits, "mirror" | "checkout">,
  work: (git: Git, own: GitFolders) => Promise<Value>,
): Promise<Value> {
  const worktree = { ...checkout, from: mirror.folder };
  return await inRepository(worktree, async (git, repository) => {
    return await work(git, gitFoldersOf(checkout, repository));
  });
}

/** Moves the files of a checkout to a commit. Unchanged files keep their modification times. */
export async function moveHead(git: Git, own: GitFolders, commit: string): Promise<void> {
  await git(["update-ref", "HEAD", commit], own);
  await git(["read-tree", "--reset", "-u", "HEAD"], own);
}

/** Points the work ref to a commit of this worker. */
async function advance(git: Git, commits: FamilyCommits, to: string): Promise<void> {
  const { work } = familyRefs(commits.files.rootId);
  await push(git, commits.mirror, { ref: work, from: commits.pushed, to });
  commits.tip = to;
  commits.pushed = to;
}

/** Fetches a ref. Resolves with `undefined` when the remote lacks it. */
async function fetchRef(git: Git, mirror: Mirror, ref: string): Promise<string | undefined> {
  const found = (await listRefs(git, mirror.url, [ref])).get(ref);
  if (found !== undefined) {
    await fetchInTurn(mirror, async () => await fetchRefs(git, mirror.url, [ref]));
  }
  return found;
}

/** @throws CadreError `tool-unavailable` when another program changed the ref, or the remote cannot be reached for a minute. */
async function push(git: Git, { url }: Mirror, change: RefChange): Promise<void> {
  if (!(await pushPatiently(git, url, change))) throw await describeMoved(git, url, change);
}

async function pushPatiently(git: Git, url: string, change: RefChange): Promise<boolean> {
  for (const pause of pauses) {
    try {
      return await pushRefs(git, url, [change]);
    } catch (error) {
      if (!(error instanceof CadreError) || isLasting(error)) throw error;
      await delay(pause);
    }
  }
  return await pushRefs(git, url, [change]);
}
