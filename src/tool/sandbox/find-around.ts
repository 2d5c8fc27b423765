import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findRepository } from "../../source/file/project-root.ts";
import { isInside } from "../../source/file/real-path.ts";

/**
 * Finds the folders outside a workspace that its tools need: the repository that contains it, and the one that a worktree or a
 * submodule belongs to. Excludes folders that contain the home folder. All paths are absolute and real.
 */
export function findAround(workspace: string, home: string): string[] {
  const repository = findRepository(workspace);
  if (repository === undefined) return [];
  const folders = [repository, ...repositoryFolders(repository)];
  return folders.filter(
    (folder) => folder !== workspace && !isInside(folder, workspace) && !isInside(home, folder),
  );
}

/** Returns the git folder that a `.git` file names, when that folder also names the file. */
function repositoryFolders(root: string): string[] {
  const link = join(root, ".git");
  if (statSync(link, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const own = readPath(link, /^gitdir: (.+)$/m, root);
  if (own === undefined) return [];
  if (readPath(join(own, "gitdir"), /^(.+)$/m, own) === link) {
    const common = readPath(join(own, "commondir"), /^(.+)$/m, own);
    return common !== undefined && isInside(own, common) && isRepository(common) ? [common] : [];
  }
  // The git folder of a submodule is in the repository that contains it.
  const outer = findRepository(dirname(root));
  return outer !== undefined && isInside(own, join(outer, ".git")) ? [own] : [];
}

function isRepository(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));
}

function readPath(file: string, pattern: RegExp, base: string): string | undefined {
  try {
    const path = pattern.exec(readFileSync(file, "utf8"))?.[1];
    return path === undefined ? undefined : resolve(base, path);
  } catch {
    // The file does not exist.
    return undefined;
  }
}
