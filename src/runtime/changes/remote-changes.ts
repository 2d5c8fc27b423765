/** Changes that a worker made in a separate checkout and pushed to the remote. */

import { CadreError } from "../../errors.ts";
import type { RecordedFiles } from "../../registry/recorded-files.ts";
import { type ChangeSet, compareTrees } from "../../tool/git/read-changes.ts";
import { readRemote } from "../../tool/git/remote/remote-address.ts";
import { familyRefs, fetchRefs, listRefs, pushRefs } from "../../tool/git/remote/transfer.ts";
import { branchOf, inRepository, type LinkedWorktree } from "../../tool/git/worktree-folder.ts";

/** The fetched changes of a family. */
export interface RemoteChanges {
  /** The address of the remote. */
  url: string;
  /** The commit that the family started from. */
  base: string;
  /** The commit with its changes. */
  tip: string;
  /** The refs of the family at the remote, with their commits. */
  refs: ReadonlyMap<string, string>;
}

/**
 * Fetches the changes of a family: its branch, or what it has changed so far. Resolves with `undefined` when the remote has neither.
 *
 * @throws CadreError `tool-unavailable` when the remote cannot be reached; `invalid-argument` when the journal, which may come
 * from elsewhere, names a different remote from the repository's.
 */
export async function fetchRemoteChanges(
  worktree: LinkedWorktree,
  { rootId, remote, commit: base }: RecordedFiles,
  name: string,
): Promise<RemoteChanges | undefined> {
  const { url, shared } = await readRemote(worktree.from, name);
  if (shared !== remote) {
    const message = `Expected the changes of ${rootId} at the remote \`${name}\` of this repository, ${shared}; its journal names ${remote}. Set \`worker.remote\` to the remote with this address.`;
    throw new CadreError("invalid-argument", message);
  }
  const names = familyRefs(rootId);
  return await inRepository(worktree, async (git) => {
    const refs = await listRefs(git, url, Object.values(names));
    const ref = [names.result, names.work, names.base].find((one) => refs.has(one));
    const tip = ref === undefined ? undefined : refs.get(ref);
    if (ref === undefined || tip === undefined) return undefined;
    // Git fetches only refs. Commits without one stay for some weeks.
    const own = `refs/cadre/${rootId}/fetched`;
    await fetchRefs(git, url, [`${ref}:${own}`]);
    await git(["update-ref", "-d", own]);
    return { url, base, tip, refs };
  });
}

/** Reads the changes; see `readChanges`. */
export async function readRemoteChanges(
  worktree: LinkedWorktree,
  { base, tip }: RemoteChanges,
  paths: readonly string[],
): Promise<ChangeSet> {
  return await inRepository(worktree, async (git) => {
    const compared = await compareTrees(git, { base, content: tip, paths });
    return { branch: branchOf(worktree.id), ...compared, left: null };
  });
}

/** Creates a local branch of the changes, so that git can merge what Cadre cannot. */
export async function addRemoteBranch(
  worktree: LinkedWorktree,
  { tip }: RemoteChanges,
): Promise<void> {
  await inRepository(worktree, async (git) => {
    await git(["update-ref", `refs/heads/${branchOf(worktree.id)}`, tip]);
  });
}

/** The number of attempts to delete the refs while another process changes them. */
const deletions = 3;

/**
 * Deletes the refs of the family at the remote. The worker may be deleting some of them, too, because it reports the result
 * first.
 *
 * @throws CadreError `tool-unavailable` when one of them has changed since it was read.
 */
export async function deleteRemoteChanges(
  worktree: LinkedWorktree,
  { url, refs }: RemoteChanges,
): Promise<void> {
  await inRepository(worktree, async (git) => {
    let left = [...refs];
    for (let time = 0; time < deletions && left.length > 0; time += 1) {
      const isDeleted = await pushRefs(
        git,
        url,
        left.map(([ref, from]) => ({ ref, from, to: null })),
      );
      if (isDeleted) return;
      const now = await listRefs(git, url, [...refs.keys()]);
      left = left.filter(([ref]) => now.has(ref));
      if (left.some(([ref, from]) => now.get(ref) !== from)) break;
    }
    if (left.length === 0) return;
    const message = `Expected ${left.map(([ref]) => ref).join(", ")} at the remote to be unchanged since they were read; another program changed one of them, so they were kept.`;
    throw new CadreError("tool-unavailable", message);
  });
}
