import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "../path-confinement.ts";
import { controlNames, foldName, namesControlFile } from "./control-names.ts";
import { repositoryControlNames } from "./git-folder.ts";

/**
 * Whether writing `path` (absolute, resolved) could raise the writer's rights or run code on its own, and therefore needs
 * a question of its own in every mode. Paths in the workspace are looked at relative to each of its folders.
 */
export function isControlFile(path: string, workspace: string): boolean {
  const isInner = isInside(path, workspace);
  const names = (isInner ? relative(workspace, path) : path).split(sep);
  if (namesControlFile(names) || foldName(basename(path)) === "head") return true;
  return foldersAround(path, isInner ? workspace : dirname(path)).some(
    (folder) => isRepositoryPart(path, folder) || isBehindLink(path, folder),
  );
}

/** The folders from that of `path` up to `top`. */
function foldersAround(path: string, top: string): string[] {
  const folder = dirname(path);
  return folder === top || !isInside(folder, top)
    ? [folder]
    : [folder, ...foldersAround(folder, top)];
}

/** A folder with `HEAD` may be a repository without `.git`: git takes its configuration and hooks when it runs in there. */
function isRepositoryPart(path: string, folder: string): boolean {
  const [name = ""] = relative(folder, path).split(sep);
  return repositoryControlNames.has(foldName(name)) && existsSync(join(folder, "HEAD"));
}

/** A control folder may be a symlink: what it leads to is one, too. */
function isBehindLink(path: string, folder: string): boolean {
  return linkedControlPaths(folder).some((target) => isInside(path, target));
}

/** Where the control files of `folder` that are reached through symlinks really are; absolute. */
export function linkedControlPaths(folder: string): string[] {
  const present = new Set([...firstNames].filter((name) => isThere(join(folder, name))));
  return controlNames
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

const firstNames: ReadonlySet<string> = new Set(controlNames.map((name) => firstNameOf(name)));

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // It is not there, or leads nowhere.
    return null;
  }
}
