import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import { controlNames, foldName, namesControlFile } from "./control-names.ts";
import { repositoryControlNames } from "./git-folder.ts";

/**
 * Reports whether writing `path` (absolute, resolved) could raise the writer's rights or run code on its own. Such a write needs
 * its own permission question in every mode. A path in the workspace is checked relative to each of its folders.
 */
export function isControlFile(path: string, workspace: string): boolean {
  const isInner = isInside(path, workspace);
  const names = (isInner ? relative(workspace, path) : path).split(sep);
  if (namesControlFile(names) || foldName(basename(path)) === "head") return true;
  return foldersAround(path, isInner ? workspace : dirname(path)).some(
    (folder) => isRepositoryPart(path, folder) || isBehindLink(path, folder),
  );
}

/** Returns the folders from that of `path` up to `top`. */
function foldersAround(path: string, top: string): string[] {
  const folder = dirname(path);
  return folder === top || !isInside(folder, top)
    ? [folder]
    : [folder, ...foldersAround(folder, top)];
}

/**
 * Reports whether a path is a part of a repository without `.git`: git uses the configuration and hooks of a folder with `HEAD`.
 */
function isRepositoryPart(path: string, folder: string): boolean {
  const [name = ""] = relative(folder, path).split(sep);
  return repositoryControlNames.has(foldName(name)) && existsSync(join(folder, "HEAD"));
}

/** Reports whether a symlinked control folder leads to a path. */
function isBehindLink(path: string, folder: string): boolean {
  return linkedControlPaths(folder).some((target) => isInside(path, target));
}

/** Returns the real paths of the control files of `folder` that are reached through symlinks; absolute. */
export function linkedControlPaths(folder: string): string[] {
  const firstNames = new Set([...controlNames].map(firstNameOf));
  const present = new Set([...firstNames].filter((name) => isThere(join(folder, name))));
  return [...controlNames]
    .filter((name) => present.has(firstNameOf(name)))
    .flatMap((name) => {
      const path = join(folder, name);
      const real = realPathOf(path);
      return real === null || real === path ? [] : [real];
    });
}

function firstNameOf(path: string): string {
  return path.slice(0, `${path}/`.indexOf("/"));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // Missing, or a dangling symlink.
    return null;
  }
}
