import { type Dirent, lstatSync } from "node:fs";
import { join } from "node:path";
import { cacheRecent } from "../../lru-pool.ts";
import { isInside } from "../../source/file/real-path.ts";
import { foldName, followName, type NameNode } from "./control-names.ts";
import { type ControlPath, entryKind } from "./control-path.ts";
import { findInGitFolder } from "./git-folder.ts";
import { linkedControlPaths } from "./is-control-file.ts";
import {
  createFolderWalk,
  rememberedWalks,
  type FolderReading,
  type PendingFolder,
} from "./walk-folders.ts";

/** The control files of one folder. */
interface FolderFindings {
  controls: ControlPath[];
  /** The git folders in it, itself included. */
  repositories: { path: string; isPlain: boolean }[];
  /** It has an entry with the name of a control file, which may be a symlink. */
  hasControlName: boolean;
}

/** The nodes in the tree of names that a folder's name led to. */
type Nodes = readonly NameNode[];

const walkOf = cacheRecent(rememberedWalks, () => createFolderWalk(readFindings));

/**
 * Finds the control files and folders of a workspace (absolute, real) in all its folders, except below `node_modules`: users do
 * not start tools in an installed package, and installing renames packages. Follows symlinks only when they lead to a control
 * file.
 */
export async function findControlPaths(workspace: string): Promise<ControlPath[]> {
  const found = new Map<string, ControlPath>();
  await walkOf(workspace).walk({ path: workspace, state: [] }, (folder, findings) => {
    const inGit = findings.repositories.flatMap(({ path, isPlain }) =>
      findInGitFolder(path, isPlain),
    );
    const linked = findings.hasControlName ? findLinked(folder, workspace) : [];
    for (const control of [...findings.controls, ...inGit, ...linked]) {
      found.set(control.path, control);
    }
  });
  return [...found.values()];
}

function readFindings(
  { path: folder, state }: PendingFolder<Nodes>,
  entries: readonly Dirent[],
): FolderReading<Nodes, FolderFindings> {
  const folders: PendingFolder<Nodes>[] = [];
  const value: FolderFindings = { controls: [], repositories: [], hasControlName: false };
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const nodes = followName(state, entry.name);
    if (nodes.length > 0) value.hasControlName = true;
    if (foldName(entry.name) === ".git" && entry.isDirectory()) {
      value.repositories.push({ path, isPlain: false });
    } else if (nodes.some(({ isControl }) => isControl)) {
      value.controls.push({ path, kind: entryKind(entry) });
    } else if (entry.isSymbolicLink() && nodes.length > 0) {
      // A path through it would be a control file.
      value.controls.push({ path, kind: "link" });
    } else if (entry.isDirectory() && entry.name !== "node_modules") {
      folders.push({ path, state: nodes });
    }
  }
  if (isRepository(entries)) value.repositories.push({ path: folder, isPlain: true });
  return { folders, value };
}

/** Reports whether git would treat a folder without `.git` as a repository. */
function isRepository(entries: readonly Dirent[]): boolean {
  if (!entries.some(({ name }) => name.toLowerCase() === "head")) return false;
  const names = new Set(entries.map(({ name }) => foldName(name)));
  return names.has("commondir") || (names.has("objects") && names.has("refs"));
}

function findLinked(folder: string, workspace: string): ControlPath[] {
  return linkedControlPaths(folder)
    .filter((path) => isInside(path, workspace) && path !== workspace)
    .flatMap((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ path, kind: entryKind(stats) }];
    });
}
