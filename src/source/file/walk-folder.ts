import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic, Severity } from "../diagnostic.ts";
import { isInside, resolveReal } from "./real-path.ts";

/** Options of {@link walkFolder}. */
export interface WalkRequest {
  /** An absolute path. */
  folder: string;
  /** The absolute folder outside of which symlinks are not followed. */
  root: string;
  isDeep: boolean;
  /** Selects files by name. */
  isWanted(name: string): boolean;
}

/** The found files in the order of their paths, and diagnostics about skipped entries. */
export interface WalkResult {
  files: string[];
  diagnostics: Diagnostic[];
}

interface State {
  walk: WalkRequest;
  root: string;
  /** The real paths of entered folders, which end cycles of symlinks. */
  entered: Set<string>;
  found: WalkResult;
}

/**
 * Lists the selected files below a folder. A missing folder counts as empty. Hidden entries, symlinks to the outside or
 * in cycles, and unreadable folders are skipped, each with a diagnostic.
 */
export async function walkFolder(walk: WalkRequest): Promise<WalkResult> {
  const found: WalkResult = { files: [], diagnostics: [] };
  const folder = await resolveReal(walk.folder);
  if (folder === null) return found;
  const root = (await resolveReal(walk.root)) ?? walk.root;
  const state: State = { walk, root, entered: new Set(), found };
  if (!isInside(folder, root)) leaveOut(state, walk.folder, leadsOut(folder));
  else await enter(state, walk.folder, folder);
  return found;
}

async function enter(state: State, folder: string, real: string): Promise<void> {
  if (state.entered.has(real)) return leaveOut(state, folder, circle(real));
  state.entered.add(real);
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return leaveOut(state, folder, unreadable(error));
  }
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) await visit(state, join(folder, entry.name), entry);
}

async function visit(state: State, path: string, entry: Dirent): Promise<void> {
  const { walk } = state;
  const isWanted = walk.isWanted(entry.name);
  if (entry.name.startsWith(".")) {
    if (isWanted || (entry.isDirectory() && walk.isDeep)) leaveOut(state, path, hidden);
  } else if (entry.name === "node_modules") {
    leaveOut(state, path, packages);
  } else if (entry.isSymbolicLink()) {
    await follow(state, path, isWanted);
  } else if (entry.isDirectory()) {
    if (walk.isDeep) await enter(state, path, (await resolveReal(path)) ?? path);
  } else if (isWanted) {
    state.found.files.push(path);
  }
}

async function follow(state: State, path: string, isWanted: boolean): Promise<void> {
  const target = await resolveReal(path);
  if (target === null) return isWanted ? leaveOut(state, path, leadsNowhere) : undefined;
  const isFolder = (await stat(path)).isDirectory();
  if (isFolder ? !state.walk.isDeep : !isWanted) return undefined;
  if (!isInside(target, state.root)) return leaveOut(state, path, leadsOut(target));
  if (isFolder) return enter(state, path, target);
  state.found.files.push(path);
}

type Reason = { severity: Severity; code: string; message: string; fix: string };

const hidden: Reason = {
  severity: "info",
  code: "hidden-skipped",
  message: "Hidden (its name begins with a dot), so it was skipped.",
  fix: "Rename it without the dot, if it is meant.",
};

const packages: Reason = {
  severity: "info",
  code: "packages-skipped",
  message: "Installed packages are not searched for definitions.",
  fix: "Copy what you want out of them.",
};

const leadsNowhere: Reason = {
  severity: "warning",
  code: "symlink-broken",
  message: "A broken or circular symlink; skipped.",
  fix: "Remove it, or point it to a file.",
};

function leadsOut(target: string): Reason {
  const message = `A symlink that leaves the project (or home) folder, to ${target}; skipped.`;
  return {
    severity: "warning",
    code: "symlink-outside",
    message,
    fix: "Copy its target into the folder.",
  };
}

function circle(target: string): Reason {
  const message = `A symlink to ${target}, which was already read; skipped.`;
  return { severity: "warning", code: "symlink-circle", message, fix: "Remove one of the two." };
}

function unreadable(error: unknown): Reason {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  const message = `Expected a folder that can be listed (${code}); skipped.`;
  return { severity: "error", code: "folder-unreadable", message, fix: "Check its permissions." };
}

function leaveOut(state: State, path: string, reason: Reason): void {
  state.found.diagnostics.push({ path, line: 1, column: 1, ...reason });
}
