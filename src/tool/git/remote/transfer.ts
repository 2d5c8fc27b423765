// Fetching from and pushing to other repositories.

import type { Git } from "../run-git.ts";

/** The refs of a family at the remote. They are deleted when the family has ended. */
export function familyRefs(rootId: string): { base: string; work: string; result: string } {
  return {
    base: `refs/cadre/${rootId}/base`,
    work: `refs/cadre/${rootId}/work`,
    result: `refs/heads/cadre/${rootId}`,
  };
}

/** A change of a ref at the remote. */
export interface RefChange {
  ref: string;
  /** The commit that it currently names; `null` = it does not exist. */
  from: string | null;
  /** The commit to name; `null` = delete the ref. */
  to: string | null;
}

/** Lists the refs of a remote that match a pattern, with their commits. */
export async function listRefs(
  git: Git,
  url: string,
  patterns: readonly string[],
): Promise<Map<string, string>> {
  const text = await git(["ls-remote", "--", url, ...patterns], { isRemote: true });
  const lines = text.split("\n").flatMap((line) => {
    const [hash, ref] = line.split("\t");
    return hash === undefined || ref === undefined ? [] : [[ref, hash] as const];
  });
  return new Map(lines);
}

/** Fetches refs under their names at the remote, or under other names: `from:to`. */
export async function fetchRefs(git: Git, url: string, refs: readonly string[]): Promise<void> {
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
  const pairs = refs.map((ref) => (ref.includes(":") ? `+${ref}` : `+${ref}:${ref}`));
  await git(["fetch", ...options, "--", url, ...pairs], { isRemote: true });
}

/**
 * Changes refs at a remote, all or none where the remote supports that. Resolves with false when one of them does not name the
 * expected commit: another program changed it.
 *
 * @throws CadreError `tool-unavailable` when the remote cannot be reached or refuses the push.
 */
export async function pushRefs(
  git: Git,
  url: string,
  changes: readonly RefChange[],
): Promise<boolean> {
  const leases = changes.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`);
  const pairs = changes.map(({ ref, to }) => `${to ?? ""}:${ref}`);
  const options = ["--no-progress", "--no-verify", ...leases];
  try {
    await git(["push", ...options, "--", url, ...pairs], { isRemote: true });
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    // Except for the first, these are the remote's messages when the ref changed during the push.
    if (/\(stale info\)|cannot lock ref|failed to update ref/.test(message)) return false;
    throw error;
  }
}
