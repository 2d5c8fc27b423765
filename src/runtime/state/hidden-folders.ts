// The state folder: hidden from tools, and moved from older places.

import { relative, sep } from "node:path";
import { userStateFolder, type UserEnvironment } from "../../config/state-folder.ts";
import { CadreError } from "../../errors.ts";
import { isInside, realPathOf } from "../../source/file/real-path.ts";

/**
 * Returns the folders that no agent may read: the user's state folder, which has all registries and the list of trusted folders,
 * and `registryFolder`, which may be elsewhere. Absolute, symlinks resolved.
 */
export function findHiddenFolders(user: UserEnvironment, registryFolder: string): string[] {
  return [...new Set([userStateFolder(user), registryFolder].map((folder) => realPathOf(folder)))];
}

/**
 * Refuses a workspace inside Cadre's state, except for worktrees that Cadre made there.
 *
 * @throws CadreError `invalid-argument`.
 */
export function refuseStateFolder(workspace: string, hiddenFolders: readonly string[]): void {
  for (const folder of hiddenFolders) {
    if (!isInside(workspace, folder)) continue;
    const isWorktree = relative(folder, workspace).split(sep).slice(0, -1).includes("worktrees");
    if (isWorktree) continue;
    const message = `Expected a workspace outside of ${folder}, where Cadre keeps runs and trust; got ${workspace}. Work in another folder, or set CADRE_STATE_DIR to one that holds nothing else.`;
    throw new CadreError("invalid-argument", message, { details: { workspace, folder } });
  }
}
