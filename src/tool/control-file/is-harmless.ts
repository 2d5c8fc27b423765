import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../source/file/real-path.ts";
import type { ControlPath } from "./control-path.ts";
import { todoPattern } from "./git-folder.ts";
import { isHarmlessGitConfig } from "./harmless-git-config.ts";

/** The workspace of a control file. */
export interface ControlFileContext {
  workspace: string;
  /** Paths that are not checked: hidden from commands, or writable by the user's choice. */
  handedOver: readonly string[];
}

const maxBytes = 1024 * 1024;

/**
 * Reports whether a control file of a repository executes nothing in its current state: the configuration and sample hooks of
 * `git init`, the steps of a rebase, the entry of a worktree elsewhere. Files outside a repository are never harmless.
 */
export function isHarmless({ path, kind, git }: ControlPath, context: ControlFileContext): boolean {
  if (git === undefined) return false;
  try {
    if (kind === "file") return isHarmlessFile(path, git.name);
    if (kind !== "folder") return false;
    if (git.name === "worktree") return isHarmlessWorktree(path, context);
    const names = readdirSync(path);
    const isSample = (name: string): boolean =>
      name.endsWith(".sample") && lstatSync(join(path, name)).isFile();
    return git.name === "hooks" ? names.every((name) => isSample(name)) : names.length === 0;
  } catch {
    // An unreadable file may be harmful.
    return false;
  }
}

/** Reports whether ordinary work with git keeps writing to a control file, such as the steps of a rebase. */
export function isWrittenByGit({ git }: ControlPath): boolean {
  return git !== undefined && todoPattern.test(git.name);
}

function isHarmlessFile(path: string, name: string): boolean {
  if (name !== "config" && !todoPattern.test(name)) return false;
  const text = readOwnFile(path);
  if (text === undefined) return false;
  return name === "config" ? isHarmlessGitConfig(text) : !/^\s*(?:x|exec)\b/m.test(text);
}

/** Reads a file that has no other name: a second name would be a way to change it later. */
function readOwnFile(path: string): string | undefined {
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.nlink > 1 || stats.size > maxBytes) return undefined;
  return readFileSync(path, "utf8");
}

/**
 * Reports whether the entry of a worktree and its working files refer to each other. Sandboxed commands cannot write there, so
 * `git worktree add` or Cadre itself made the worktree.
 */
function isHarmlessWorktree(path: string, { workspace, handedOver }: ControlFileContext): boolean {
  const names = readdirSync(path);
  if (names.some((name) => /^(?:config|hooks|info)/i.test(name))) return false;
  if (readOwnFile(join(path, "commondir"))?.trim() !== "../..") return false;
  const link = readOwnFile(join(path, "gitdir"))?.trim() ?? "";
  const isElsewhere =
    !isInside(link, workspace) || handedOver.some((folder) => isInside(link, folder));
  if (link === "" || !isElsewhere) return false;
  return readOwnFile(link)?.trim() === `gitdir: ${path}`;
}
