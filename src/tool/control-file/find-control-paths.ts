import { type Dirent, lstatSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../path-confinement.ts";
import { foldName, followName, type NameNode } from "./control-names.ts";
import { type ControlPath, kindOf } from "./control-path.ts";
import { findInGitFolder } from "./git-folder.ts";
import { linkedControlPaths } from "./is-control-file.ts";
import {
  createFolderWalk,
  createRecent,
  type FolderReading,
  type PendingFolder,
} from "./walk-folders.ts";

/** What a folder has to do with control files. */
interface FolderFindings {
  controls: ControlPath[];
  /** The folders of repositories in it, itself included. */
  repositories: { path: string; isPlain: boolean }[];
  /** A name of a control file is there: one of them may be a symlink. */
  hasControlName: boolean;
}

/** The places in the tree of names that the name of a folder led to. */
type Nodes = readonly NameNode[];

const walkOf = createRecent(() => createFolderWalk(readFindings));

/**
 * Finds the control files and folders of a workspace (absolute, real) in all its folders, except below `node_modules`:
 * nobody starts a tool in an installed package, and installing renames them. Symlinks are followed only where a control
 * file is reached through one.
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
      value.controls.push({ path, kind: kindOf(entry) });
    } else if (entry.isSymbolicLink() && nodes.length > 0) {
      // What lies behind it would be a control file.
      value.controls.push({ path, kind: "link" });
    } else if (entry.isDirectory() && entry.name !== "node_modules") {
      folders.push({ path, state: nodes });
    }
  }
  if (isRepository(entries)) value.repositories.push({ path: folder, isPlain: true });
  return { folders, value };
}

/** Whether git would take a folder for a repository without `.git`. */
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
      return stats === undefined ? [] : [{ path, kind: kindOf(stats) }];
    });
}
